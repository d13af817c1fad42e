package io.kvreactive;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A key and a value to load; see {@link Kv#load}.
 *
 * @param key the key
 * @param value any value that {@link Kv#set} accepts
 * @param expireAt the time of expiry, or null if the key does not expire
 */
public record KvRecord(KvKey key, @Nullable Object value, @Nullable Instant expireAt) {
  /** Returns a record that does not expire. */
  public static KvRecord of(KvKey key, @Nullable Object value) {
    return new KvRecord(key, value, null);
  }

  /** Returns a record that expires at a time. */
  public static KvRecord of(KvKey key, @Nullable Object value, Instant expireAt) {
    return new KvRecord(key, value, expireAt);
  }
}
