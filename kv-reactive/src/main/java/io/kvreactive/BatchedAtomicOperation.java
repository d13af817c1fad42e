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
 * order in which they were added. Each commit is atomic; the whole is not. Obtained from {@link
 * Kv#batchedAtomic}. Not thread-safe while it is built. A commit does not change the operation and
 * may be repeated.
 *
 * <p>A check applies only to the commit that contains it. This is always the commit of the change
 * that is added next.
 */
public final class BatchedAtomicOperation extends AtomicBuilder<BatchedAtomicOperation> {
  private final Function<List<Commit>, Flux<CommitResult>> committer;
  private final LongSupplier clock;
  private final KvLimits limits;
  // added to the packer at a time
  private final List<ObjLongConsumer<CommitPacker>> parts = new ArrayList<>();

  /**
   * Creates an operation; for implementations of {@link Kv}.
   *
   * @param committer executes commits one after the other, up to the first that fails
   * @param encoder the encoder of values; throws INVALID_VALUE
   * @param clock the time from which {@code expireIn} counts, in milliseconds since 1970
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
   * Commits what has been added so far, one commit after the other, each when the previous one is
   * answered. Emits the result of each; emits nothing if nothing was added. A conflict is the last
   * result. Its indexes number the failed checks among all checks of this operation, in the order
   * in which they were added. An error also ends the sequence. Commits whose results were emitted
   * remain in effect. A commit that fails with OVERLOADED is retried after a pause. Errors as for
   * {@link AtomicOperation#commit}.
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
