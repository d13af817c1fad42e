package io.kvreactive;

import io.kvreactive.spi.Check;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.Mutation;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * Checks and changes that happen together or not at all. Get one from {@link Kv#atomic}, add to it,
 * then {@link #commit}. Values are encoded when they are added, so what is added later does not see
 * changes of a mutable value. Not thread-safe while it is built; committing does not change it and
 * may be done again.
 *
 * <p>Checks are evaluated against the state before the operation; then the changes are applied in
 * the order in which they were added, each seeing those before it. When one fails, none happens.
 */
public final class AtomicOperation {
  private final Function<Commit, Mono<CommitResult>> committer;
  private final Function<@Nullable Object, KvValue> encoder;
  private final List<Check> checks = new ArrayList<>();
  private final List<Mutation> mutations = new ArrayList<>();

  /**
   * For implementations of {@link Kv}.
   *
   * @param committer what {@link #commit} does; called per commit, subscribed to per execution
   * @param encoder how values are encoded; throws INVALID_VALUE
   */
  public AtomicOperation(
      Function<Commit, Mono<CommitResult>> committer, Function<@Nullable Object, KvValue> encoder) {
    this.committer = committer;
    this.encoder = encoder;
  }

  /** Commits only if the key has this versionstamp; null: only if it is absent. */
  public AtomicOperation check(KvKey key, @Nullable Versionstamp versionstamp) {
    checks.add(new Check(key.bytes(), versionstamp));
    return this;
  }

  /** Commits only if each key is as it was read: the same versionstamp, or still absent. */
  public AtomicOperation check(KvEntry<?>... entries) {
    for (KvEntry<?> entry : entries) {
      check(entry.key(), entry.versionstamp());
    }
    return this;
  }

  /** Like {@link #check(KvEntry[])}, for what {@link Kv#getMany} has read. */
  public AtomicOperation check(Iterable<? extends KvEntry<?>> entries) {
    entries.forEach(this::check);
    return this;
  }

  /** Commits only if each key is absent. */
  public AtomicOperation checkAbsent(KvKey... keys) {
    for (KvKey key : keys) {
      check(key, (Versionstamp) null);
    }
    return this;
  }

  /**
   * Sets a key.
   *
   * @throws KvException INVALID_VALUE
   */
  public AtomicOperation set(KvKey key, @Nullable Object value) {
    mutations.add(new Mutation.Set(key.bytes(), encoder.apply(value)));
    return this;
  }

  /**
   * Sets the key that consists of {@code base} and the commit's versionstamp, as 20 hex digits, as
   * its last part: keys that sort in commit order. (Deno KV: {@code kv.commitVersionstamp()}.)
   *
   * @throws KvException INVALID_VALUE
   */
  public AtomicOperation setVersionstamped(KvKey base, @Nullable Object value) {
    mutations.add(new Mutation.SetSuffixed(base.bytes(), encoder.apply(value)));
    return this;
  }

  /** Deletes a key; no error when it is absent. */
  public AtomicOperation delete(KvKey key) {
    mutations.add(new Mutation.Delete(key.bytes()));
    return this;
  }

  /** Deletes all keys of a range, however many. */
  public AtomicOperation deleteRange(KvRange range) {
    mutations.add(new Mutation.DeleteRange(range.startBytes(), range.endBytes()));
    return this;
  }

  /** Adds to a {@link KvU64}, modulo 2^64; an absent key counts as 0. */
  public AtomicOperation sum(KvKey key, KvU64 operand) {
    mutations.add(new Mutation.Sum(key.bytes(), encoder.apply(operand), null, null, false));
    return this;
  }

  /** Adds to a {@link KvU64}, modulo 2^64: a negative operand subtracts. */
  public AtomicOperation sum(KvKey key, long operand) {
    return sum(key, KvU64.wrapped(operand));
  }

  /**
   * Adds to a bigint (which also adds to a {@link KvU64} when there are no bounds). A sum outside
   * the bounds fails the commit with OUT_OF_RANGE, or is set to the bound when clamped. An absent
   * key takes the operand as it is.
   */
  public AtomicOperation sum(KvKey key, BigInteger operand, SumBounds<BigInteger> bounds) {
    return sumOf(key, operand, bounds);
  }

  /** Adds to a number; bounds as for a bigint. */
  public AtomicOperation sum(KvKey key, double operand, SumBounds<Double> bounds) {
    return sumOf(key, operand, bounds);
  }

  private AtomicOperation sumOf(KvKey key, Object operand, SumBounds<?> bounds) {
    mutations.add(
        new Mutation.Sum(
            key.bytes(),
            encoder.apply(operand),
            encoded(bounds.min()),
            encoded(bounds.max()),
            bounds.clamp()));
    return this;
  }

  private byte @Nullable [] encoded(@Nullable Object bound) {
    return bound == null ? null : encoder.apply(bound).bytes();
  }

  /** Sets a {@link KvU64} to the smaller of itself and the operand; an absent key takes it. */
  public AtomicOperation min(KvKey key, KvU64 operand) {
    mutations.add(new Mutation.Min(key.bytes(), encoder.apply(operand)));
    return this;
  }

  /** Sets a {@link KvU64} to the larger of itself and the operand; an absent key takes it. */
  public AtomicOperation max(KvKey key, KvU64 operand) {
    mutations.add(new Mutation.Max(key.bytes(), encoder.apply(operand)));
    return this;
  }

  /**
   * Commits what has been added so far. Emits {@link CommitResult}: committed with its
   * versionstamp, durable and visible; or not committed with the indexes of all failed checks.
   * Errors beside those of every write: INVALID_KEY for an empty key, TYPE_MISMATCH, OUT_OF_RANGE;
   * nothing has happened then. A commit without changes gets a versionstamp as well.
   */
  public Mono<CommitResult> commit() {
    return committer.apply(new Commit(checks, mutations));
  }
}
