package io.kvreactive.spi;

import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import org.jspecify.annotations.Nullable;

/**
 * The change of a key, or of a range of keys, by a commit: a final value, never an operation, so
 * that replaying twice equals replaying once. Within a commit the range deletions come first, then
 * at most one change per key. The embedded store's log has these records, and change feeds emit
 * them.
 *
 * @param kind the kind of change
 * @param key the encoded key, or the inclusive start of a range; not copied, must not be changed
 * @param end the exclusive end of a range, else null
 * @param value the new value of a set. Change feeds have null for all other kinds; in a commit that
 *     is not yet in the log, a touch has the value that it keeps
 * @param expireAt the new time of expiry, in milliseconds since 1970; 0 for none
 * @param oldVersion the version of the commit that wrote the previous value; 0 if the key was
 *     absent, and for a range
 * @param oldValue the previous value; null also if it was not requested, or is not known
 */
public record StoredChange(
    Kind kind,
    byte[] key,
    byte @Nullable [] end,
    @Nullable KvValue value,
    long expireAt,
    long oldVersion,
    @Nullable KvValue oldValue) {
  /** The kinds of changes, with their codes in logs and tables. */
  public enum Kind {
    SET(1),
    DELETE(2),
    /** All keys of a range were deleted; they are not listed. */
    DELETE_RANGE(3),
    /** The time of expiry was changed, the value was not. */
    TOUCH(4),
    /** The key was removed after its expiry, from which on it was absent for readers. */
    EXPIRE(5);

    private final int code;

    Kind(int code) {
      this.code = code;
    }

    public int code() {
      return code;
    }

    /**
     * Returns the kind with a code.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static Kind of(int code) {
      if (code < 1 || code > values().length) {
        throw new IllegalArgumentException("kind of change: " + code + " (expected: 1..5)");
      }
      return values()[code - 1];
    }
  }

  public static StoredChange set(byte[] key, KvValue value, long expireAt) {
    return new StoredChange(Kind.SET, key, null, value, expireAt, 0, null);
  }

  public static StoredChange delete(byte[] key) {
    return new StoredChange(Kind.DELETE, key, null, null, 0, 0, null);
  }

  public static StoredChange deleteRange(byte[] start, byte[] end) {
    return new StoredChange(Kind.DELETE_RANGE, start, end, null, 0, 0, null);
  }

  public static StoredChange touch(byte[] key, @Nullable KvValue value, long expireAt) {
    return new StoredChange(Kind.TOUCH, key, null, value, expireAt, 0, null);
  }

  public static StoredChange expire(byte[] key) {
    return new StoredChange(Kind.EXPIRE, key, null, null, 0, 0, null);
  }

  /** Returns this change with its old version and value. */
  public StoredChange after(long oldVersion, @Nullable KvValue oldValue) {
    return new StoredChange(kind, key, end, value, expireAt, oldVersion, oldValue);
  }

  /** Returns the commit that wrote the previous value; null if the key was absent. */
  public @Nullable Versionstamp oldVersionstamp() {
    return oldVersion == 0 ? null : Versionstamp.of(oldVersion);
  }
}
