/** Definitions of collections, and what a change of one leaves to do. */
@NullMarked
package io.kvreactive.index.internal.transform;

import org.jspecify.annotations.NullMarked;
