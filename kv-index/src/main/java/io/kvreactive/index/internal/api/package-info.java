/** The implementation of the public interfaces over a store. */
@NullMarked
package io.kvreactive.index.internal.api;

import org.jspecify.annotations.NullMarked;
