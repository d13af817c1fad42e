/**
 * Backups of a store, and restores from them. Open {@code Backup} first, then {@code Restore}, and
 * {@code Manifest} for the description of a backup.
 */
@NullMarked
package io.kvreactive.internal.store.backup;

import org.jspecify.annotations.NullMarked;
