/** The file operations of the store, behind a seam for fault tests. Open {@code Disk} first. */
@NullMarked
package io.kvreactive.internal.store.file;

import org.jspecify.annotations.NullMarked;
