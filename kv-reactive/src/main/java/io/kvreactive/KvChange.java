package io.kvreactive;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A change of one key, or of a range of keys, by a commit. Old values are null unless requested
 * with {@link ChangesOptions#oldValues} and kept by the store at the time.
 *
 * @param <T> type of the values
 */
public sealed interface KvChange<T> {
  /**
   * The change of a key's value; {@code sum}, {@code min} and {@code max} set it too.
   *
   * @param key the key
   * @param value the value; null also when null is stored
   * @param expireAt when the key expires, or null if it does not
   * @param oldVersionstamp the commit that wrote the value before, or null if the key was absent
   * @param oldValue the value before
   */
  record Set<T>(
      KvKey key,
      @Nullable T value,
      @Nullable Instant expireAt,
      @Nullable Versionstamp oldVersionstamp,
      @Nullable T oldValue)
      implements KvChange<T> {}

  /**
   * The change of a key's expiry; its value is unchanged.
   *
   * @param key the key
   * @param expireAt when it expires now, or null if it does not any more
   * @param oldVersionstamp the stamp before: that of the commit is the key's now
   * @param oldValue the value before, and now
   */
  record Touch<T>(
      KvKey key,
      @Nullable Instant expireAt,
      @Nullable Versionstamp oldVersionstamp,
      @Nullable T oldValue)
      implements KvChange<T> {}

  /**
   * The deletion of a key. Deletions of absent keys are omitted.
   *
   * @param key the key
   * @param oldVersionstamp the commit that wrote it
   * @param oldValue the value before
   */
  record Delete<T>(KvKey key, @Nullable Versionstamp oldVersionstamp, @Nullable T oldValue)
      implements KvChange<T> {}

  /**
   * The removal of an expired key, some time after its expiry. For readers the key was absent from
   * its expiry on.
   *
   * @param key the key
   * @param oldVersionstamp the commit that wrote it
   * @param oldValue the value before
   */
  record Expire<T>(KvKey key, @Nullable Versionstamp oldVersionstamp, @Nullable T oldValue)
      implements KvChange<T> {}

  /**
   * The deletion of all keys of a range, which are not listed. The deletion of a range of few keys
   * is emitted as deletions of keys instead.
   *
   * @param range the deleted part of the range that is followed; its bounds need not be keys
   */
  record DeleteRange<T>(KvRange range) implements KvChange<T> {}
}
