package io.kvreactive;

import io.kvreactive.internal.api.bulk.CommitPacker;
import io.kvreactive.spi.Check;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.Enqueue;
import io.kvreactive.spi.Mutation;
import io.kvreactive.spi.RangeCheck;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/**
 * Any number of checks and changes, split into as many commits as {@link KvLimits} require, in the
 * order of their addition. Each commit is atomic, all of them together are not. Get one from {@link
 * Kv#batchedAtomic}, add to it, then {@link #commit}. Not thread-safe while it is built; committing
 * does not change it and may be done again.
 *
 * <p>A check holds for the commit that it falls into, and for no other; it always falls into the
 * same one as the change that is added next after it.
 */
public final class BatchedAtomicOperation extends AtomicBuilder<BatchedAtomicOperation> {
  private final Function<List<Commit>, Flux<CommitResult>> committer;
  private final LongSupplier clock;
  private final KvLimits limits;
  private final List<ObjLongConsumer<CommitPacker>> parts = new ArrayList<>(); // at a time

  /**
   * Creates an operation; for implementations of {@link Kv}.
   *
   * @param committer commits one after the other, up to the first that fails
   * @param encoder the encoder of values; throws INVALID_VALUE
   * @param clock the time that {@code expireIn} counts from, milliseconds since 1970
   * @param limits the limits of each commit
   */
  public BatchedAtomicOperation(
      Function<List<Commit>, Flux<CommitResult>> committer,
      Function<@Nullable Object, KvValue> encoder,
      LongSupplier clock,
      KvLimits limits) {
    super(encoder);
    this.committer = committer;
    this.clock = clock;
    this.limits = limits;
  }

  @Override
  protected BatchedAtomicOperation self() {
    return this;
  }

  @Override
  protected BatchedAtomicOperation addCheck(Check check) {
    parts.add((packer, now) -> packer.add(check));
    return this;
  }

  @Override
  protected BatchedAtomicOperation addRangeCheck(RangeCheck check) {
    parts.add((packer, now) -> packer.add(check));
    return this;
  }

  @Override
  protected BatchedAtomicOperation addMutation(LongFunction<Mutation> mutation) {
    parts.add((packer, now) -> packer.add(mutation.apply(now)));
    return this;
  }

  @Override
  protected BatchedAtomicOperation addEnqueue(LongFunction<Enqueue> enqueue) {
    parts.add((packer, now) -> packer.add(enqueue.apply(now)));
    return this;
  }

  /**
   * Commits what has been added so far: one commit after the other, each when the one before is
   * durable. Emits the result of each. A conflict ends it: its result, with the indexes of failed
   * checks among all checks of this operation in the order in which they were added, is the last
   * one; so does an error, and what was emitted before is done. A commit that fails with OVERLOADED
   * is retried after a pause. Emits nothing when nothing was added. Errors as for {@link
   * AtomicOperation#commit}.
   */
  public Flux<CommitResult> commit() {
    List<ObjLongConsumer<CommitPacker>> added = List.copyOf(parts);
    return Flux.defer(
        () -> {
          CommitPacker packer = new CommitPacker(limits);
          long now = clock.getAsLong();
          added.forEach(part -> part.accept(packer, now));
          List<CommitPacker.Packed> packed = packer.finish();
          AtomicInteger next = new AtomicInteger();
          return committer
              .apply(packed.stream().map(CommitPacker.Packed::commit).toList())
              .map(result -> packed.get(next.getAndIncrement()).numbered(result));
        });
  }
}
