package io.kvreactive.internal.store.memtable;

import io.kvreactive.KvValue;
import org.jspecify.annotations.Nullable;

/**
 * What a key came to at a version.
 *
 * @param version the commit that wrote it
 * @param value the value, or null when the commit deleted the key
 * @param expireAt from when on it counts as absent, milliseconds since 1970; 0 for never
 */
public record VersionedValue(long version, @Nullable KvValue value, long expireAt) {
  /** Whether there is a value at a time. */
  public boolean isPresent(long now) {
    return value != null && !isExpired(expireAt, now);
  }

  /** Whether a time of expiry has come. */
  public static boolean isExpired(long expireAt, long now) {
    return expireAt != 0 && expireAt <= now;
  }
}
