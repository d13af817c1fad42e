/**
 * The file operations of the store, behind an interface that fault tests replace. Open {@code Disk}
 * first.
 */
@NullMarked
package io.kvreactive.internal.store.file;

import org.jspecify.annotations.NullMarked;
