package io.kvreactive;

/**
 * What {@link Kv#listAndWatch} emits: what there is, in key order, then what changes.
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
   * Everything that there was at a version has been emitted. Once, after the last entry; commits
   * between the two bring the entries, which were read page by page, to one version.
   *
   * @param versionstamp what was emitted until now comes to what the store held at this version
   */
  record Synced<T>(Versionstamp versionstamp) implements KvUpdate<T> {}

  /**
   * Something has changed; or, after {@link Synced}, a bookmark.
   *
   * @param commit the changes that are not in the entries already
   */
  record Committed<T>(KvCommit<T> commit) implements KvUpdate<T> {}
}
