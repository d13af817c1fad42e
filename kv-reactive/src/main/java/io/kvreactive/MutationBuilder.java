package io.kvreactive;

import io.kvreactive.internal.api.EnqueueMapper;
import io.kvreactive.internal.api.Expiry;
import io.kvreactive.spi.Enqueue;
import io.kvreactive.spi.Mutation;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Function;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A builder of the changes of a commit. They are applied in the order in which they are added, each
 * seeing the changes before it. Values are encoded when they are added, so later changes of a
 * mutable value have no effect.
 *
 * @param <S> the type of the builder itself
 */
public abstract class MutationBuilder<S extends MutationBuilder<S>> {
  private final Function<@Nullable Object, KvValue> encoder;

  /**
   * Creates a builder.
   *
   * @param encoder the encoder of values; throws INVALID_VALUE
   */
  protected MutationBuilder(Function<@Nullable Object, KvValue> encoder) {
    this.encoder = encoder;
  }

  /**
   * Adds a change and returns the builder.
   *
   * @param mutation the change as a function of the time from which {@code expireIn} counts, in
   *     milliseconds since 1970
   */
  protected abstract S addMutation(LongFunction<Mutation> mutation);

  /**
   * Adds a message and returns the builder.
   *
   * @param enqueue the message as a function of the time from which delays count, in milliseconds
   *     since 1970
   */
  protected abstract S addEnqueue(LongFunction<Enqueue> enqueue);

  private S add(Mutation mutation) {
    return addMutation(now -> mutation);
  }

  /**
   * Sets a key.
   *
   * @throws KvException INVALID_VALUE
   */
  public S set(KvKey key, @Nullable Object value) {
    return add(new Mutation.Set(key.bytes(), encoder.apply(value)));
  }

  /**
   * Sets a key that expires. The duration counts from the subscription to the commit.
   *
   * @throws KvException INVALID_VALUE; INVALID_ARGUMENT for a negative duration
   */
  public S set(KvKey key, @Nullable Object value, Duration expireIn) {
    Expiry.in(expireIn, 0);
    byte[] bytes = key.bytes();
    KvValue encoded = encoder.apply(value);
    return addMutation(now -> new Mutation.Set(bytes, encoded, Expiry.in(expireIn, now)));
  }

  /**
   * Sets a key that expires at a time.
   *
   * @throws KvException INVALID_VALUE; INVALID_ARGUMENT
   */
  public S set(KvKey key, @Nullable Object value, Instant expireAt) {
    return add(new Mutation.Set(key.bytes(), encoder.apply(value), Expiry.at(expireAt)));
  }

  /**
   * Changes the expiry of a key; no effect if the key is absent. The duration counts from the
   * subscription to the commit.
   *
   * @throws KvException INVALID_ARGUMENT for a negative duration
   */
  public S touch(KvKey key, Duration expireIn) {
    Expiry.in(expireIn, 0);
    byte[] bytes = key.bytes();
    return addMutation(now -> new Mutation.Touch(bytes, Expiry.in(expireIn, now)));
  }

  /** Like {@link #touch(KvKey, Duration)}, with the time of expiry; null removes the expiry. */
  public S touch(KvKey key, @Nullable Instant expireAt) {
    return add(new Mutation.Touch(key.bytes(), expireAt == null ? 0 : Expiry.at(expireAt)));
  }

  /**
   * Sets a key whose last part is the commit's versionstamp as 20 hex digits, after the parts of
   * {@code base}, so that keys sort in commit order. (Deno KV: {@code kv.commitVersionstamp()}.)
   *
   * @throws KvException INVALID_VALUE
   */
  public S setVersionstamped(KvKey base, @Nullable Object value) {
    return add(new Mutation.SetVersionstamped(base.bytes(), encoder.apply(value)));
  }

  /** Deletes a key; no error if the key is absent. */
  public S delete(KvKey key) {
    return add(new Mutation.Delete(key.bytes()));
  }

  /** Deletes all keys of a range, without a limit on their number. */
  public S deleteRange(KvRange range) {
    return add(new Mutation.DeleteRange(range.startBytes(), range.endBytes()));
  }

  /** Adds to a {@link KvU64}, modulo 2^64; an absent key counts as 0. */
  public S sum(KvKey key, KvU64 operand) {
    return add(new Mutation.Sum(key.bytes(), encoder.apply(operand), null, null, false));
  }

  /** Adds to a {@link KvU64}, modulo 2^64; a negative operand subtracts. */
  public S sum(KvKey key, long operand) {
    return sum(key, KvU64.wrapped(operand));
  }

  /**
   * Adds to a bigint; without bounds also to a {@link KvU64}. A sum outside the bounds fails the
   * commit with OUT_OF_RANGE, or is set to the bound if clamped. An absent key is set to the
   * operand.
   */
  public S sum(KvKey key, BigInteger operand, SumBounds<BigInteger> bounds) {
    return sumOf(key, operand, bounds);
  }

  /** Adds to a number; bounds as for a bigint. */
  public S sum(KvKey key, double operand, SumBounds<Double> bounds) {
    return sumOf(key, operand, bounds);
  }

  private S sumOf(KvKey key, Object operand, SumBounds<?> bounds) {
    return add(
        new Mutation.Sum(
            key.bytes(),
            encoder.apply(operand),
            encoded(bounds.min()),
            encoded(bounds.max()),
            bounds.clamp()));
  }

  private byte @Nullable [] encoded(@Nullable Object bound) {
    return bound == null ? null : encoder.apply(bound).bytes();
  }

  /**
   * Sets a {@link KvU64} to the smaller of its value and the operand; an absent key is set to the
   * operand.
   */
  public S min(KvKey key, KvU64 operand) {
    return add(new Mutation.Min(key.bytes(), encoder.apply(operand)));
  }

  /**
   * Sets a {@link KvU64} to the larger of its value and the operand; an absent key is set to the
   * operand.
   */
  public S max(KvKey key, KvU64 operand) {
    return add(new Mutation.Max(key.bytes(), encoder.apply(operand)));
  }

  /** Like {@link #enqueue(Object, EnqueueOptions)}, with {@link EnqueueOptions#DEFAULT}. */
  public S enqueue(@Nullable Object message) {
    return enqueue(message, EnqueueOptions.DEFAULT);
  }

  /**
   * Puts a message into a queue as part of the commit; see {@link KvQueues#listen}. A message may
   * be anything that a value may be. Delays count from the subscription to the commit.
   *
   * @throws KvException INVALID_VALUE; INVALID_ARGUMENT for a time that is out of range
   */
  public S enqueue(@Nullable Object message, EnqueueOptions options) {
    return addEnqueue(EnqueueMapper.of(encoder.apply(message), options));
  }
}
