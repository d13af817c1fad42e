package io.kvreactive;

/**
 * An element of {@link Kv#listAndWatch}: first the existing entries in key order, then the changes.
 *
 * @param <T> type of the values
 */
public sealed interface KvUpdate<T> {
  /**
   * A present key.
   *
   * @param entry the key, its value and its stamp
   */
  record Listed<T>(KvEntry<T> entry) implements KvUpdate<T> {}

  /**
   * The end of the list, emitted once. Pages have different versions, so the commits between these
   * versions are emitted before, after the last entry.
   *
   * @param versionstamp the version to which the elements emitted so far add up
   */
  record Synced<T>(Versionstamp versionstamp) implements KvUpdate<T> {}

  /**
   * A commit; after {@link Synced}, possibly a bookmark.
   *
   * @param commit the changes that are not in the emitted entries already
   */
  record Committed<T>(KvCommit<T> commit) implements KvUpdate<T> {}
}
