package io.kvreactive.spi;

import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import org.jspecify.annotations.Nullable;

/**
 * What a commit did to a key, or to a range of keys.
 *
 * @param kind what happened
 * @param key the encoded key, or the inclusive start of a range; not copied, must not be changed
 * @param end the exclusive end of a range, else null
 * @param value what the key was set to, else null
 * @param expireAt when the key expires from now on, milliseconds since 1970; 0 for never
 * @param oldVersionstamp the commit that wrote what was there before, or null if the key was
 *     absent, and for a range
 * @param oldValue the value before; null also when it was not asked for, or is not known
 */
public record StoredChange(
    Kind kind,
    byte[] key,
    byte @Nullable [] end,
    @Nullable KvValue value,
    long expireAt,
    @Nullable Versionstamp oldVersionstamp,
    @Nullable KvValue oldValue) {
  /** What can happen to a key. */
  public enum Kind {
    SET,
    DELETE,
    /** All keys of a range are gone; which those were is not told. */
    DELETE_RANGE,
    /** Another time of expiry, the value as it was. */
    TOUCH,
    /** The time of expiry has come; the key has been absent for readers since then. */
    EXPIRE
  }
}
