/**
 * What changes mean, for whoever applies them: the store at commit, a transaction when it reads
 * back what it has written. Open {@code MergeOperators} first.
 */
@NullMarked
package io.kvreactive.internal.mutation;

import org.jspecify.annotations.NullMarked;
