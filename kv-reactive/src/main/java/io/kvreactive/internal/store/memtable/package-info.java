/** Committed versions that the image lacks. Open {@code Memtable} first. */
@NullMarked
package io.kvreactive.internal.store.memtable;

import org.jspecify.annotations.NullMarked;
