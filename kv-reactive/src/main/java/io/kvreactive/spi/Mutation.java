package io.kvreactive.spi;

import io.kvreactive.KvValue;
import org.jspecify.annotations.Nullable;

/** One change of a commit. Keys are encoded; byte arrays are not copied and must not be changed. */
public sealed interface Mutation {
  /** The encoded key, or the inclusive start of a range. */
  byte[] key();

  /** Sets a key. */
  record Set(byte[] key, KvValue value) implements Mutation {}

  /**
   * Sets the key that consists of {@code key} and one more string part: the commit's versionstamp
   * as 20 hex digits.
   */
  record SetSuffixed(byte[] key, KvValue value) implements Mutation {}

  /** Deletes a key; no error when it is absent. */
  record Delete(byte[] key) implements Mutation {}

  /** Deletes all keys from {@code key} (inclusive) to {@code end} (exclusive). */
  record DeleteRange(byte[] key, byte[] end) implements Mutation {}

  /**
   * Adds to a number.
   *
   * @param operand LE64, or a structured-clone bigint or number
   * @param min a structured-clone number of the operand's kind that the sum must not go below
   * @param max one that it must not exceed
   * @param clamp whether a sum outside is set to the bound; else it fails the commit
   */
  record Sum(
      byte[] key, KvValue operand, byte @Nullable [] min, byte @Nullable [] max, boolean clamp)
      implements Mutation {}

  /** Sets an LE64 value to the smaller of itself and the operand. */
  record Min(byte[] key, KvValue operand) implements Mutation {}

  /** Sets an LE64 value to the larger of itself and the operand. */
  record Max(byte[] key, KvValue operand) implements Mutation {}
}
