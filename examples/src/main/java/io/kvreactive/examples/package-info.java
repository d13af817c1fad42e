/** Programs to run and to copy from. Each class of this package has a {@code main}. */
@NullMarked
package io.kvreactive.examples;

import org.jspecify.annotations.NullMarked;
