/** A cache in front of a slow function. */
@NullMarked
package io.kvreactive.examples.cache;

import org.jspecify.annotations.NullMarked;
