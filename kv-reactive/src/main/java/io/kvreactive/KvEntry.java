package io.kvreactive;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.fasterxml.jackson.annotation.JsonValue;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A key with its value, or the fact that the key is absent, which {@code check} accepts as well.
 *
 * <p>Jackson writes an object with {@code key}, {@code value}, {@code versionstamp}, {@code
 * expireAt} in milliseconds since 1970, and {@code snapshot}, and reads it back.
 *
 * @param <T> type of the value
 * @param key the key
 * @param value the value; null if the key is absent, if only keys were requested, and if null, or a
 *     JavaScript {@code undefined} read as a Java type, is stored: see {@link #exists}
 * @param versionstamp the commit that wrote the key, or null if absent
 * @param expireAt the time of expiry, or null if the key does not expire or is absent
 * @param snapshot the newest commit that the read saw: a watch or a later read from here on misses
 *     nothing
 */
public record KvEntry<T>(
    KvKey key,
    @Nullable T value,
    @Nullable Versionstamp versionstamp,
    @Nullable Instant expireAt,
    Versionstamp snapshot) {
  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  private KvEntry(Json<T> json) {
    this(
        json.key,
        json.value,
        json.versionstamp,
        json.expireAt == null ? null : Instant.ofEpochMilli(json.expireAt),
        json.snapshot);
  }

  @JsonValue
  private Json<T> json() {
    return new Json<>(
        key, value, versionstamp, expireAt == null ? null : expireAt.toEpochMilli(), snapshot);
  }

  /** The JSON form, with the members of a line of an export and the snapshot. */
  @JsonPropertyOrder({"key", "value", "versionstamp", "expireAt", "snapshot"})
  private record Json<T>(
      KvKey key,
      @Nullable T value,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Versionstamp versionstamp,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Long expireAt,
      Versionstamp snapshot) {}

  /** Returns true if the key is present. */
  public boolean exists() {
    return versionstamp != null;
  }

  /**
   * Returns the value of a present key.
   *
   * @throws java.util.NoSuchElementException if the value is null
   */
  public T required() {
    if (value == null) {
      throw new java.util.NoSuchElementException("no value under " + key);
    }
    return value;
  }
}
