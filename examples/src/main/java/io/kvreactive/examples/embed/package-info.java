/** A shop that has a web server already; begin with {@link ShopVerticle}. */
@NullMarked
package io.kvreactive.examples.embed;

import org.jspecify.annotations.NullMarked;
