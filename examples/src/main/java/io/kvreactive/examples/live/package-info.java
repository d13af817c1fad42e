/** A guest book whose page follows the store; begin with {@link GuestBookVerticle}. */
@NullMarked
package io.kvreactive.examples.live;

import org.jspecify.annotations.NullMarked;
