package io.kvreactive;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A key and a value to load; see {@link Kv#load}.
 *
 * @param key the key
 * @param value anything that {@link Kv#set} takes
 * @param expireAt when the key expires, or null for never
 */
public record KvRecord(KvKey key, @Nullable Object value, @Nullable Instant expireAt) {
  /** One that does not expire. */
  public static KvRecord of(KvKey key, @Nullable Object value) {
    return new KvRecord(key, value, null);
  }

  /** One that expires at a time. */
  public static KvRecord of(KvKey key, @Nullable Object value, Instant expireAt) {
    return new KvRecord(key, value, expireAt);
  }
}
