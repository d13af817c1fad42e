/**
 * The semantics of mutations, for the store when it commits and for transactions when they read
 * their own writes. Open {@code MergeOperators} first.
 */
@NullMarked
package io.kvreactive.internal.mutation;

import org.jspecify.annotations.NullMarked;
