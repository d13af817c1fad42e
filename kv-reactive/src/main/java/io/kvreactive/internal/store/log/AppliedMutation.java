package io.kvreactive.internal.store.log;

import io.kvreactive.KvValue;
import io.kvreactive.internal.store.memtable.VersionedValue;
import org.jspecify.annotations.Nullable;

/**
 * The effect of one mutation: final values, never operations, so that replaying twice equals
 * replaying once. Within a commit the range deletions come first, then at most one effect per key.
 *
 * @param kind the kind of effect
 * @param key the key, or the inclusive start of a deleted range
 * @param end the exclusive end of a deleted range, else null
 * @param value the new value; null if there is none, and for a touch read from the log, which does
 *     not repeat it
 * @param expireAt the new expiry of the key, in milliseconds since 1970; 0 for none
 * @param oldVersion the previous version of the key; 0 if it was absent, and for a range
 * @param oldValue the previous value, if the store keeps it
 */
public record AppliedMutation(
    Kind kind,
    byte[] key,
    byte @Nullable [] end,
    @Nullable KvValue value,
    long expireAt,
    long oldVersion,
    @Nullable KvValue oldValue) {
  /** The kinds of effects, with their codes in the log. */
  public enum Kind {
    SET(1),
    DELETE(2),
    DELETE_RANGE(3),
    /** The expiry was changed, the value was not. */
    TOUCH(4),
    /** A deletion after the expiry of the key. */
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

  /** Returns this effect with its old version and value. */
  public AppliedMutation after(long oldVersion, @Nullable KvValue oldValue) {
    return new AppliedMutation(kind, key, end, value, expireAt, oldVersion, oldValue);
  }

  /** Returns the state of the key from {@code version} on. */
  public VersionedValue state(long version) {
    return new VersionedValue(version, value, expireAt);
  }
}
