/** A guest book whose page follows the store. Begin with {@link GuestBookVerticle}. */
@NullMarked
package io.kvreactive.examples.live;

import org.jspecify.annotations.NullMarked;
