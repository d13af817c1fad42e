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
   * A new value of a key; {@code sum}, {@code min} and {@code max} set it too.
   *
   * @param key the key
   * @param value the value; null also if null is stored
   * @param expireAt the time of expiry, or null if the key does not expire
   * @param oldVersionstamp the commit that wrote the previous value, or null if the key was absent
   * @param oldValue the previous value
   */
  record Set<T>(
      KvKey key,
      @Nullable T value,
      @Nullable Instant expireAt,
      @Nullable Versionstamp oldVersionstamp,
      @Nullable T oldValue)
      implements KvChange<T> {}

  /**
   * A new expiry of a key; its value is unchanged.
   *
   * @param key the key
   * @param expireAt the new time of expiry, or null if the key no longer expires
   * @param oldVersionstamp the previous versionstamp; the key now has that of the commit
   * @param oldValue the value, which is unchanged
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
   * @param oldVersionstamp the commit that wrote the deleted value
   * @param oldValue the deleted value
   */
  record Delete<T>(KvKey key, @Nullable Versionstamp oldVersionstamp, @Nullable T oldValue)
      implements KvChange<T> {}

  /**
   * The removal of an expired key, some time after its expiry. For readers the key was absent from
   * its expiry on.
   *
   * @param key the key
   * @param oldVersionstamp the commit that wrote the removed value
   * @param oldValue the removed value
   */
  record Expire<T>(KvKey key, @Nullable Versionstamp oldVersionstamp, @Nullable T oldValue)
      implements KvChange<T> {}

  /**
   * The deletion of all keys of a range, which are not listed. The deletion of a range of few keys
   * is emitted as deletions of keys instead.
   *
   * @param range the intersection of the deleted range and the followed range; its bounds need not
   *     be keys
   */
  record DeleteRange<T>(KvRange range) implements KvChange<T> {}
}
