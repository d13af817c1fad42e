/** Programs to run and to copy from; each class here has a {@code main}. */
@NullMarked
package io.kvreactive.examples;

import org.jspecify.annotations.NullMarked;
