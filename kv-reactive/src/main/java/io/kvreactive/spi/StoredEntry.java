package io.kvreactive.spi;

import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import org.jspecify.annotations.Nullable;

/**
 * A present key.
 *
 * @param key the encoded key; not copied, must not be changed
 * @param value the value, or null if only keys were asked for
 * @param versionstamp the commit that wrote it
 * @param expireAt when it expires, milliseconds since 1970 by the engine's clock; 0 for never
 */
public record StoredEntry(
    byte[] key, @Nullable KvValue value, Versionstamp versionstamp, long expireAt) {
  /** Bytes of key and value. */
  public long bytes() {
    return (long) key.length + (value == null ? 0 : value.bytes().length);
  }
}
