package io.kvreactive.internal.store.log;

import io.kvreactive.KvValue;
import io.kvreactive.internal.store.memtable.VersionedValue;
import org.jspecify.annotations.Nullable;

/**
 * What one mutation came to: final values, never operations, so that replaying twice is the same as
 * once. Within a commit the range deletions come first, then at most one effect per key.
 *
 * @param kind what happened
 * @param key the key, or the inclusive start of a deleted range
 * @param end the exclusive end of a deleted range, else null
 * @param value the value from now on, or null if there is none, and for a touch read from the log,
 *     which does not repeat it
 * @param expireAt when the key expires, milliseconds since 1970; 0 for never
 * @param oldVersion the version of the key before; 0 when it was absent, and for a range
 * @param oldValue the value before, where the store keeps it
 */
public record AppliedMutation(
    Kind kind,
    byte[] key,
    byte @Nullable [] end,
    @Nullable KvValue value,
    long expireAt,
    long oldVersion,
    @Nullable KvValue oldValue) {
  /** The kinds, with their numbers in the log. */
  public enum Kind {
    SET(1),
    DELETE(2),
    DELETE_RANGE(3),
    /** Another time of expiry, the value as it was. */
    TOUCH(4),
    /** A deletion because the time had come. */
    EXPIRE(5);

    private final int code;

    Kind(int code) {
      this.code = code;
    }

    public int code() {
      return code;
    }

    static Kind of(int code) {
      if (code < 1 || code > values().length) {
        throw new IllegalArgumentException("effect kind " + code);
      }
      return values()[code - 1];
    }
  }

  public static AppliedMutation set(byte[] key, KvValue value, long expireAt) {
    return new AppliedMutation(Kind.SET, key, null, value, expireAt, 0, null);
  }

  public static AppliedMutation delete(byte[] key) {
    return new AppliedMutation(Kind.DELETE, key, null, null, 0, 0, null);
  }

  public static AppliedMutation deleteRange(byte[] start, byte[] end) {
    return new AppliedMutation(Kind.DELETE_RANGE, start, end, null, 0, 0, null);
  }

  public static AppliedMutation touch(byte[] key, @Nullable KvValue value, long expireAt) {
    return new AppliedMutation(Kind.TOUCH, key, null, value, expireAt, 0, null);
  }

  public static AppliedMutation expire(byte[] key) {
    return new AppliedMutation(Kind.EXPIRE, key, null, null, 0, 0, null);
  }

  /** Returns the same, knowing what was before. */
  public AppliedMutation after(long oldVersion, @Nullable KvValue oldValue) {
    return new AppliedMutation(kind, key, end, value, expireAt, oldVersion, oldValue);
  }

  /** What the key is from {@code version} on. */
  public VersionedValue state(long version) {
    return new VersionedValue(version, value, expireAt);
  }
}
