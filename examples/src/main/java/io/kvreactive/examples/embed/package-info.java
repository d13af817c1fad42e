/** A shop with a web server of its own. Begin with {@link ShopVerticle}. */
@NullMarked
package io.kvreactive.examples.embed;

import org.jspecify.annotations.NullMarked;
