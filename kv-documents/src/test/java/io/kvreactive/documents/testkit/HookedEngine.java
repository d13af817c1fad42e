package io.kvreactive.documents.testkit;

import io.kvreactive.CommitResult;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.spi.ChangesRequest;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.CommittedChanges;
import io.kvreactive.spi.ForwardingKvEngine;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.KvEngineOptions;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.ReadResult;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * An engine that counts reads and commits, runs an action before a feed begins, counts the demand
 * of feeds, and rejects some commits.
 */
public final class HookedEngine extends ForwardingKvEngine implements KvEngineOptions {
  /** Runs before the next feed begins. */
  public final AtomicReference<Mono<Void>> beforeChanges = new AtomicReference<>(Mono.empty());

  /** The number of commits to reject with OVERLOADED. */
  public final AtomicInteger rejections = new AtomicInteger();

  /** The number of reads. */
  public final AtomicInteger reads = new AtomicInteger();

  /** The number of commits, including those in conflict and those rejected. */
  public final AtomicInteger commits = new AtomicInteger();

  /** The number of feeds that have begun. */
  public final AtomicInteger feeds = new AtomicInteger();

  /** The number of feeds that have been cancelled or have ended. */
  public final AtomicInteger endedFeeds = new AtomicInteger();

  /** The number of commits requested from feeds. */
  public final AtomicLong requestedOfFeeds = new AtomicLong();

  public HookedEngine(KvEngine engine) {
    super(engine);
  }

  @Override
  public String name() {
    return "hooked";
  }

  @Override
  public Mono<KvEngine> openEngine(Vertx vertx) {
    return Mono.just(this);
  }

  @Override
  public Mono<ReadResult> read(List<ReadRange> ranges, @Nullable Snapshot snapshot, long maxBytes) {
    return engine().read(ranges, snapshot, maxBytes).doOnSubscribe(read -> reads.incrementAndGet());
  }

  @Override
  public Flux<CommittedChanges> changes(ChangesRequest request) {
    return Flux.defer(
        () ->
            beforeChanges
                .getAndSet(Mono.empty())
                .thenMany(
                    engine()
                        .changes(request)
                        .doOnSubscribe(feed -> feeds.incrementAndGet())
                        .doOnRequest(requestedOfFeeds::addAndGet)
                        .doFinally(end -> endedFeeds.incrementAndGet())));
  }

  @Override
  public Mono<CommitResult> commit(Commit commit) {
    return Mono.defer(
        () -> {
          commits.incrementAndGet();
          return rejections.getAndUpdate(left -> Math.max(0, left - 1)) > 0
              ? Mono.error(new KvException(KvErrorCode.OVERLOADED, "too many commits"))
              : engine().commit(commit);
        });
  }
}
