/** A cache in front of something slow. */
@NullMarked
package io.kvreactive.examples.cache;

import org.jspecify.annotations.NullMarked;
