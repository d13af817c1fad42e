package io.kvreactive.spi;

import io.kvreactive.KvValue;
import org.jspecify.annotations.Nullable;

/**
 * One change of a commit. Keys are encoded; byte arrays are not copied and must not be changed.
 * Times of expiry are milliseconds since 1970 by the engine's clock; 0 means no expiry.
 */
public sealed interface Mutation {
  /** Returns the encoded key, or the inclusive start of a range. */
  byte[] key();

  /**
   * Sets a key and replaces its expiry.
   *
   * @param blind true if the engine need not read the previous value, which is most of the cost of
   *     a commit. Change feeds then report that the key was absent. For keys that are known to be
   *     new, or that only their writer reads. An engine may ignore it.
   */
  record Set(byte[] key, KvValue value, long expireAt, boolean blind) implements Mutation {
    /** Creates a set that is not blind: change feeds report the previous value. */
    public Set(byte[] key, KvValue value, long expireAt) {
      this(key, value, expireAt, false);
    }

    /** Creates a set of a key that does not expire. */
    public Set(byte[] key, KvValue value) {
      this(key, value, 0, false);
    }

    /** Returns a blind set of a key that does not expire. */
    public static Set blind(byte[] key, KvValue value) {
      return new Set(key, value, 0, true);
    }
  }

  /**
   * Sets the key that consists of {@code key} and one more string part: the commit's versionstamp
   * as 20 hex digits.
   */
  record SetSuffixed(byte[] key, KvValue value, long expireAt) implements Mutation {
    /** Creates a set of a key that does not expire. */
    public SetSuffixed(byte[] key, KvValue value) {
      this(key, value, 0);
    }
  }

  /** Changes the expiry and the versionstamp of a key; no error if the key is absent. */
  record Touch(byte[] key, long expireAt) implements Mutation {}

  /** Deletes a key; no error if the key is absent. */
  record Delete(byte[] key) implements Mutation {}

  /** Deletes all keys from {@code key} (inclusive) to {@code end} (exclusive). */
  record DeleteRange(byte[] key, byte[] end) implements Mutation {}

  /**
   * Adds to a number and removes the expiry of the key. Each bigint involved, as operand, bound,
   * stored number or result, has at most 1,024 bytes; otherwise the commit fails with
   * LIMIT_EXCEEDED.
   *
   * @param operand LE64, or a structured-clone bigint or number
   * @param min the inclusive minimum of the sum, a structured-clone number of the operand's kind
   * @param max the inclusive maximum of the sum, likewise
   * @param clamp true to set a sum outside the bounds to the bound; false to fail the commit
   */
  record Sum(
      byte[] key, KvValue operand, byte @Nullable [] min, byte @Nullable [] max, boolean clamp)
      implements Mutation {}

  /** Sets an LE64 value to the smaller of its value and the operand, and removes its expiry. */
  record Min(byte[] key, KvValue operand) implements Mutation {}

  /** Sets an LE64 value to the larger of its value and the operand, and removes its expiry. */
  record Max(byte[] key, KvValue operand) implements Mutation {}
}
