/**
 * Backups of a store, and stores made of them. Open {@code Backup} first, then {@code Restore}, and
 * {@code Manifest} for what a backup says of itself.
 */
@NullMarked
package io.kvreactive.internal.store.backup;

import org.jspecify.annotations.NullMarked;
