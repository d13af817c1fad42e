/** Committed versions that the image does not hold yet. Open {@code Memtable} first. */
@NullMarked
package io.kvreactive.internal.store.memtable;

import org.jspecify.annotations.NullMarked;
