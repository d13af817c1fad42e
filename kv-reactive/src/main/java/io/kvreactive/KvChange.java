package io.kvreactive;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a commit did to one key, or to a range of keys. Old values are null unless they were asked
 * for with {@link ChangesOptions#oldValues}, and where the store did not keep them at the time.
 *
 * @param <T> type of the values
 */
public sealed interface KvChange<T> {
  /**
   * A key has another value from now on; {@code sum}, {@code min} and {@code max} set it too.
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
   * A key expires at another time; its value is the same.
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
   * A key is gone. Deleting what was absent changes nothing, and is left out.
   *
   * @param key the key
   * @param oldVersionstamp the commit that wrote it
   * @param oldValue the value before
   */
  record Delete<T>(KvKey key, @Nullable Versionstamp oldVersionstamp, @Nullable T oldValue)
      implements KvChange<T> {}

  /**
   * A key is gone because its time had come. It was absent for readers from that time on; this
   * tells of its removal, some time after.
   *
   * @param key the key
   * @param oldVersionstamp the commit that wrote it
   * @param oldValue the value before
   */
  record Expire<T>(KvKey key, @Nullable Versionstamp oldVersionstamp, @Nullable T oldValue)
      implements KvChange<T> {}

  /**
   * All keys of a range are gone. Which those were is not told: a range of few keys is told as
   * deletions of keys instead.
   *
   * @param range what was deleted of the range that is followed; its bounds need not be keys
   */
  record DeleteRange<T>(KvRange range) implements KvChange<T> {}
}
