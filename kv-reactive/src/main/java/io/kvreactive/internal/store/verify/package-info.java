/**
 * Reads all of a store and says what is wrong where. Open {@code Verification} first, then {@code
 * LogTreeComparator}.
 */
@NullMarked
package io.kvreactive.internal.store.verify;

import org.jspecify.annotations.NullMarked;
