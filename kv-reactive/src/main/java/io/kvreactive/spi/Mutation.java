package io.kvreactive.spi;

import io.kvreactive.KvException;
import io.kvreactive.KvValue;
import io.kvreactive.internal.mutation.MergeOperators;
import org.jspecify.annotations.Nullable;

/**
 * One change of a commit. Keys are encoded; byte arrays are not copied and must not be changed.
 * Times of expiry are milliseconds since 1970 by the engine's clock; 0 is never.
 */
public sealed interface Mutation {
  /** Returns the encoded key, or the inclusive start of a range. */
  byte[] key();

  /**
   * Sets a key; what it had of an expiry is gone.
   *
   * @param blind true if an engine need not look up what was there before, which costs it most of a
   *     commit: who follows the changes is then told that the key was absent. For keys that are
   *     known to be new, or that only their writer reads. An engine may ignore it.
   */
  record Set(byte[] key, KvValue value, long expireAt, boolean blind) implements Mutation {
    /** Sets a key; the changes tell what was there before. */
    public Set(byte[] key, KvValue value, long expireAt) {
      this(key, value, expireAt, false);
    }

    /** Sets a key that does not expire. */
    public Set(byte[] key, KvValue value) {
      this(key, value, 0, false);
    }

    /** Sets a key that does not expire, without a look at what was there before. */
    public static Set blind(byte[] key, KvValue value) {
      return new Set(key, value, 0, true);
    }
  }

  /**
   * Sets the key that consists of {@code key} and one more string part: the commit's versionstamp
   * as 20 hex digits.
   */
  record SetSuffixed(byte[] key, KvValue value, long expireAt) implements Mutation {
    /** Sets a key that does not expire. */
    public SetSuffixed(byte[] key, KvValue value) {
      this(key, value, 0);
    }
  }

  /** Changes when a key expires, and its versionstamp; no error when it is absent. */
  record Touch(byte[] key, long expireAt) implements Mutation {}

  /** Deletes a key; no error when it is absent. */
  record Delete(byte[] key) implements Mutation {}

  /** Deletes all keys from {@code key} (inclusive) to {@code end} (exclusive). */
  record DeleteRange(byte[] key, byte[] end) implements Mutation {}

  /**
   * Adds to a number. The key does not expire any more. A bigint that takes part, as operand,
   * bound, stored number or result, has at most 1,024 bytes; else the commit fails with
   * LIMIT_EXCEEDED.
   *
   * @param operand LE64, or a structured-clone bigint or number
   * @param min a structured-clone number of the operand's kind that the sum must not go below
   * @param max one that it must not exceed
   * @param clamp true if a sum outside is set to the bound; else it fails the commit
   */
  record Sum(
      byte[] key, KvValue operand, byte @Nullable [] min, byte @Nullable [] max, boolean clamp)
      implements Mutation {}

  /** Sets an LE64 value to the smaller of itself and the operand, and takes its expiry away. */
  record Min(byte[] key, KvValue operand) implements Mutation {}

  /** Sets an LE64 value to the larger of itself and the operand, and takes its expiry away. */
  record Max(byte[] key, KvValue operand) implements Mutation {}

  /**
   * Returns the value that a sum, min or max makes of a stored one. For engines that evaluate
   * commits themselves.
   *
   * @param mutation a {@link Sum}, {@link Min} or {@link Max}
   * @param stored the present value of the key, or null if the key is absent
   * @throws KvException TYPE_MISMATCH, OUT_OF_RANGE, LIMIT_EXCEEDED
   */
  static KvValue merge(Mutation mutation, @Nullable KvValue stored) {
    return MergeOperators.apply(mutation, stored);
  }
}
