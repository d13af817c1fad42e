package io.kvreactive.internal.store.log;

import io.kvreactive.KvValue;
import org.jspecify.annotations.Nullable;

/**
 * What one mutation came to: final values, never operations, so that replaying twice is the same as
 * once. Within a commit the range deletions come first, then at most one effect per key.
 *
 * @param kind what happened
 * @param key the key, or the inclusive start of a deleted range
 * @param end the exclusive end of a deleted range, else null
 * @param value the new value of a set, else null
 */
public record Effect(Kind kind, byte[] key, byte @Nullable [] end, @Nullable KvValue value) {
  /** The kinds, with their numbers in the log. */
  public enum Kind {
    SET(1),
    DELETE(2),
    DELETE_RANGE(3);

    private final int code;

    Kind(int code) {
      this.code = code;
    }

    public int code() {
      return code;
    }
  }

  public static Effect set(byte[] key, KvValue value) {
    return new Effect(Kind.SET, key, null, value);
  }

  public static Effect delete(byte[] key) {
    return new Effect(Kind.DELETE, key, null, null);
  }

  public static Effect deleteRange(byte[] start, byte[] end) {
    return new Effect(Kind.DELETE_RANGE, start, end, null);
  }
}
