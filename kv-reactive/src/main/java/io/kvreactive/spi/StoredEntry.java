package io.kvreactive.spi;

import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import org.jspecify.annotations.Nullable;

/**
 * A present key with its value.
 *
 * @param key the encoded key; not copied, must not be changed
 * @param value the value, or null if only keys were requested
 * @param versionstamp the commit that wrote it
 * @param expireAt the time of expiry, in milliseconds since 1970 by the engine's clock; 0 for none
 */
public record StoredEntry(
    byte[] key, @Nullable KvValue value, Versionstamp versionstamp, long expireAt) {
  /** Returns the size of key and value in bytes. */
  public long bytes() {
    return (long) key.length + (value == null ? 0 : value.bytes().length);
  }
}
