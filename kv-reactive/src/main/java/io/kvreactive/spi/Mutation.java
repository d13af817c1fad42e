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

  /** Returns the kind of the mutation, for exhaustive switches. */
  Kind kind();

  /** Returns the value that is set, or the operand; null for a mutation that has neither. */
  @Nullable KvValue value();

  /** The kinds of mutations: one for each record. */
  enum Kind {
    SET,
    SET_VERSIONSTAMPED,
    TOUCH,
    DELETE,
    DELETE_RANGE,
    SUM,
    MIN,
    MAX
  }

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

    @Override
    public Kind kind() {
      return Kind.SET;
    }
  }

  /**
   * Sets the key that consists of {@code key} and one more string part: the commit's versionstamp
   * as 20 hex digits.
   */
  record SetVersionstamped(byte[] key, KvValue value, long expireAt) implements Mutation {
    /** Creates a set of a key that does not expire. */
    public SetVersionstamped(byte[] key, KvValue value) {
      this(key, value, 0);
    }

    @Override
    public Kind kind() {
      return Kind.SET_VERSIONSTAMPED;
    }
  }

  /** Changes the expiry and the versionstamp of a key; no error if the key is absent. */
  record Touch(byte[] key, long expireAt) implements Mutation {
    @Override
    public Kind kind() {
      return Kind.TOUCH;
    }

    @Override
    public @Nullable KvValue value() {
      return null;
    }
  }

  /** Deletes a key; no error if the key is absent. */
  record Delete(byte[] key) implements Mutation {
    @Override
    public Kind kind() {
      return Kind.DELETE;
    }

    @Override
    public @Nullable KvValue value() {
      return null;
    }
  }

  /** Deletes all keys from {@code key} (inclusive) to {@code end} (exclusive). */
  record DeleteRange(byte[] key, byte[] end) implements Mutation {
    @Override
    public Kind kind() {
      return Kind.DELETE_RANGE;
    }

    @Override
    public @Nullable KvValue value() {
      return null;
    }
  }

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
      implements Mutation {
    @Override
    public Kind kind() {
      return Kind.SUM;
    }

    @Override
    public KvValue value() {
      return operand;
    }
  }

  /** Sets an LE64 value to the smaller of its value and the operand, and removes its expiry. */
  record Min(byte[] key, KvValue operand) implements Mutation {
    @Override
    public Kind kind() {
      return Kind.MIN;
    }

    @Override
    public KvValue value() {
      return operand;
    }
  }

  /** Sets an LE64 value to the larger of its value and the operand, and removes its expiry. */
  record Max(byte[] key, KvValue operand) implements Mutation {
    @Override
    public Kind kind() {
      return Kind.MAX;
    }

    @Override
    public KvValue value() {
      return operand;
    }
  }
}
