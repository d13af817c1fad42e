package io.kvreactive.internal.api.bulk;

import io.kvreactive.CommitResult;
import io.kvreactive.KvError;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvLimits;
import io.kvreactive.KvRecord;
import io.kvreactive.LoadOptions;
import io.kvreactive.LoadProgress;
import io.kvreactive.internal.api.Expiry;
import io.kvreactive.internal.shared.SubscriberContext;
import io.kvreactive.internal.value.MutationSize;
import io.kvreactive.internal.value.ValueMapper;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.Mutation;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.util.retry.Retry;

/** Executes loads and batched operations as sequences of commits. */
public final class BulkLoader {
  /** Number of records requested at a time; a source may be far away, and records large. */
  private static final int PREFETCH = 256;

  static final Duration FIRST_PAUSE = Duration.ofMillis(2);
  static final Duration LONGEST_PAUSE = Duration.ofMillis(250);

  private final KvEngine engine;
  private final ValueMapper values;
  private final SubscriberContext subscriberContext;

  public BulkLoader(KvEngine engine, ValueMapper values, SubscriberContext subscriberContext) {
    this.engine = engine;
    this.values = values;
    this.subscriberContext = subscriberContext;
  }

  /** Stores records, several commits at a time. The result may be subscribed to once. */
  public Flux<LoadProgress> load(Publisher<? extends KvRecord> records, LoadOptions options) {
    Scheduler caller = subscriberContext.scheduler();
    OrderedCommitPipeline commits = new OrderedCommitPipeline(engine);
    AtomicReference<Throwable> failure = new AtomicReference<>();
    int concurrency = engine.commitsInOrder() ? options.concurrency() : 1;
    return Flux.from(records)
        .limitRate(PREFETCH)
        .map(this::change)
        .onErrorResume(
            e -> { // emitted after the records before it are stored
              failure.set(e);
              return Flux.empty();
            })
        .bufferUntil(new Cut(options, engine.limits()), true)
        .map(OrderedCommitPipeline.Batch::of)
        .concatWith(Mono.fromSupplier(failure::get).map(OrderedCommitPipeline.Batch::failed))
        .flatMapSequential(batch -> commits.commit(batch).publishOn(caller), concurrency, 1)
        .<LoadProgress>handle(
            OrderedCommitPipeline.Outcome::emit) // after the earlier outcomes, whatever the demand
        .doFinally(ignored -> commits.cancel());
  }

  private Mutation change(KvRecord entry) {
    Instant expireAt = entry.expireAt();
    return new Mutation.Set(
        entry.key().bytes(),
        values.encode(entry.value()),
        expireAt == null ? 0 : Expiry.at(expireAt));
  }

  /** Tests whether a change starts a new commit. Has the state of one load. */
  private static final class Cut implements Predicate<Mutation> {
    private final int maxEntries;
    private final int maxBytes;
    private final int maxKeyBytes;
    private final int maxWork;
    private int entries;
    private long bytes;
    private long keyBytes;
    private long work;

    Cut(LoadOptions options, KvLimits limits) {
      maxEntries = Math.min(options.batchEntries(), limits.maxMutations());
      maxBytes = Math.min(options.batchBytes(), limits.maxCommitBytes());
      maxKeyBytes = limits.maxCommitKeyBytes();
      maxWork = limits.maxCommitWork();
    }

    @Override
    public boolean test(Mutation next) {
      entries++;
      bytes += MutationSize.bytes(next);
      keyBytes += MutationSize.keyBytes(next);
      work += MutationSize.work(next);
      boolean cut =
          entries > 1
              && (entries > maxEntries
                  || bytes > maxBytes
                  || keyBytes > maxKeyBytes
                  || work > maxWork);
      if (cut) {
        entries = 1;
        bytes = MutationSize.bytes(next);
        keyBytes = MutationSize.keyBytes(next);
        work = MutationSize.work(next);
      }
      return cut;
    }
  }

  /** Executes commits one after the other, up to the first whose checks fail. */
  public Flux<CommitResult> commitAll(List<Commit> commits) {
    return Flux.fromIterable(commits)
        .concatMap(this::commit, 0)
        .takeUntil(result -> !result.committed());
  }

  private Mono<CommitResult> commit(Commit commit) {
    return engine
        .commit(commit)
        .retryWhen(
            Retry.backoff(Long.MAX_VALUE, FIRST_PAUSE)
                .maxBackoff(LONGEST_PAUSE)
                .filter(BulkLoader::isOverload));
  }

  static boolean isOverload(Throwable failure) {
    return KvError.is(failure, KvErrorCode.OVERLOADED);
  }
}
