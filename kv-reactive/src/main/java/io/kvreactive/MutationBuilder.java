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
 * The changes that a commit can be made of. They are applied in the order in which they are added,
 * each seeing those before it. Values are encoded when they are added, so what is added does not
 * see later changes of a mutable value.
 *
 * @param <S> the builder itself
 */
public abstract class MutationBuilder<S extends MutationBuilder<S>> {
  private final Function<@Nullable Object, KvValue> encoder;

  /**
   * @param encoder how values are encoded; throws INVALID_VALUE
   */
  protected MutationBuilder(Function<@Nullable Object, KvValue> encoder) {
    this.encoder = encoder;
  }

  /**
   * Takes a change; returns the builder.
   *
   * @param mutation from the time that {@code expireIn} counts from, milliseconds since 1970
   */
  protected abstract S addMutation(LongFunction<Mutation> mutation);

  /**
   * Takes a message; returns the builder.
   *
   * @param enqueue from the time that delays count from, milliseconds since 1970
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
   * Sets a key that expires; the time counts from when the commit is subscribed to.
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
   * Changes when a key expires, counted from when the commit is subscribed to; nothing happens when
   * it is absent.
   *
   * @throws KvException INVALID_ARGUMENT for a negative duration
   */
  public S touch(KvKey key, Duration expireIn) {
    Expiry.in(expireIn, 0);
    byte[] bytes = key.bytes();
    return addMutation(now -> new Mutation.Touch(bytes, Expiry.in(expireIn, now)));
  }

  /** Like {@link #touch(KvKey, Duration)}, at a time; null: the key does not expire any more. */
  public S touch(KvKey key, @Nullable Instant expireAt) {
    return add(new Mutation.Touch(key.bytes(), expireAt == null ? 0 : Expiry.at(expireAt)));
  }

  /**
   * Sets the key that consists of {@code base} and the commit's versionstamp, as 20 hex digits, as
   * its last part: keys that sort in commit order. (Deno KV: {@code kv.commitVersionstamp()}.)
   *
   * @throws KvException INVALID_VALUE
   */
  public S setVersionstamped(KvKey base, @Nullable Object value) {
    return add(new Mutation.SetSuffixed(base.bytes(), encoder.apply(value)));
  }

  /** Deletes a key; no error when it is absent. */
  public S delete(KvKey key) {
    return add(new Mutation.Delete(key.bytes()));
  }

  /** Deletes all keys of a range, however many. */
  public S deleteRange(KvRange range) {
    return add(new Mutation.DeleteRange(range.startBytes(), range.endBytes()));
  }

  /** Adds to a {@link KvU64}, modulo 2^64; an absent key counts as 0. */
  public S sum(KvKey key, KvU64 operand) {
    return add(new Mutation.Sum(key.bytes(), encoder.apply(operand), null, null, false));
  }

  /** Adds to a {@link KvU64}, modulo 2^64: a negative operand subtracts. */
  public S sum(KvKey key, long operand) {
    return sum(key, KvU64.wrapped(operand));
  }

  /**
   * Adds to a bigint (which also adds to a {@link KvU64} when there are no bounds). A sum outside
   * the bounds fails the commit with OUT_OF_RANGE, or is set to the bound when clamped. An absent
   * key takes the operand as it is.
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

  /** Sets a {@link KvU64} to the smaller of itself and the operand; an absent key takes it. */
  public S min(KvKey key, KvU64 operand) {
    return add(new Mutation.Min(key.bytes(), encoder.apply(operand)));
  }

  /** Sets a {@link KvU64} to the larger of itself and the operand; an absent key takes it. */
  public S max(KvKey key, KvU64 operand) {
    return add(new Mutation.Max(key.bytes(), encoder.apply(operand)));
  }

  /** Like {@link #enqueue(Object, EnqueueOptions)}, with {@link EnqueueOptions#DEFAULT}. */
  public S enqueue(@Nullable Object message) {
    return enqueue(message, EnqueueOptions.DEFAULT);
  }

  /**
   * Puts a message into a queue, if the commit is made; see {@link Kv#listenQueue}. A message is
   * anything that a value may be. Delays count from when the commit is subscribed to.
   *
   * @throws KvException INVALID_VALUE; INVALID_ARGUMENT for a time that is too far away to be told
   */
  public S enqueue(@Nullable Object message, EnqueueOptions options) {
    return addEnqueue(EnqueueMapper.of(encoder.apply(message), options));
  }
}
