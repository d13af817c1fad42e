/**
 * Verifies a store and reports each problem with its place. Open {@code Verification} first, then
 * {@code LogTreeComparator}.
 */
@NullMarked
package io.kvreactive.internal.store.verify;

import org.jspecify.annotations.NullMarked;
