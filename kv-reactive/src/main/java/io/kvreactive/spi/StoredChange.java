package io.kvreactive.spi;

import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import org.jspecify.annotations.Nullable;

/**
 * The change of a key, or of a range of keys, by a commit.
 *
 * @param kind the kind of change
 * @param key the encoded key, or the inclusive start of a range; not copied, must not be changed
 * @param end the exclusive end of a range, else null
 * @param value the new value of a set, else null
 * @param expireAt the new time of expiry, in milliseconds since 1970; 0 for none
 * @param oldVersionstamp the commit that wrote the previous value; null if the key was absent, and
 *     for a range
 * @param oldValue the previous value; null also if it was not requested, or is not known
 */
public record StoredChange(
    Kind kind,
    byte[] key,
    byte @Nullable [] end,
    @Nullable KvValue value,
    long expireAt,
    @Nullable Versionstamp oldVersionstamp,
    @Nullable KvValue oldValue) {
  /** The kinds of changes. */
  public enum Kind {
    SET,
    DELETE,
    /** All keys of a range were deleted; they are not listed. */
    DELETE_RANGE,
    /** The time of expiry was changed, the value was not. */
    TOUCH,
    /** The key was removed after its expiry, from which on it was absent for readers. */
    EXPIRE
  }
}
