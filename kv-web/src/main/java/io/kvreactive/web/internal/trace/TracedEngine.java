package io.kvreactive.web.internal.trace;

import io.kvreactive.BackupProgress;
import io.kvreactive.CommitResult;
import io.kvreactive.CompactionProgress;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvLimits;
import io.kvreactive.KvStats;
import io.kvreactive.VerifyReport;
import io.kvreactive.spi.ChangesRequest;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.CommittedChanges;
import io.kvreactive.spi.Finish;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.LeaseToken;
import io.kvreactive.spi.LeasedMessage;
import io.kvreactive.spi.QueueStats;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.ReadResult;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * An engine whose operations are spans below that of one request. What goes on without end, and
 * what only looks, is passed on as it is. Keys and values are never in a span.
 */
final class TracedEngine implements KvEngine {
  private final KvEngine engine;
  private final Tracer tracer;
  private final Context parent;
  private final String database;

  TracedEngine(KvEngine engine, Tracer tracer, Span parent, String database) {
    this.engine = engine;
    this.tracer = tracer;
    this.parent = Context.root().with(parent);
    this.database = database;
  }

  private <T> Mono<T> traced(String operation, long size, Mono<T> work) {
    return Mono.defer(
        () -> {
          Span span = span(operation, size);
          return work.doOnError(failure -> failed(span, failure)).doFinally(end -> span.end());
        });
  }

  private Span span(String operation, long size) {
    return tracer
        .spanBuilder("kv." + operation)
        .setParent(parent)
        .setSpanKind(SpanKind.INTERNAL)
        .setAttribute("db.system.name", "kv-reactive")
        .setAttribute("db.namespace", database)
        .setAttribute("db.operation.name", operation)
        .setAttribute("db.operation.batch.size", size)
        .startSpan();
  }

  private static void failed(Span span, Throwable failure) {
    span.setStatus(StatusCode.ERROR);
    KvErrorCode code = failure instanceof KvException known ? known.code() : KvErrorCode.INTERNAL;
    span.setAttribute("error.type", code.name());
  }

  @Override
  public Mono<ReadResult> read(List<ReadRange> ranges, @Nullable Snapshot snapshot) {
    return traced("read", ranges.size(), engine.read(ranges, snapshot));
  }

  /** One that comes to nothing is no span: {@link #read} follows. */
  @Override
  public @Nullable ReadResult readNow(List<ReadRange> ranges) {
    return traced(ranges.size(), () -> engine.readNow(ranges));
  }

  @Override
  public @Nullable ReadResult readHere(List<ReadRange> ranges, @Nullable Snapshot snapshot) {
    return traced(ranges.size(), () -> engine.readHere(ranges, snapshot));
  }

  private @Nullable ReadResult traced(int size, Supplier<@Nullable ReadResult> reading) {
    Span span = span("read", size);
    try {
      ReadResult read = reading.get();
      if (read != null) {
        span.end();
      }
      return read;
    } catch (RuntimeException e) {
      failed(span, e);
      span.end();
      throw e;
    }
  }

  @Override
  public Mono<Long> count(byte[] start, byte[] end) {
    return traced("count", 1, engine.count(start, end));
  }

  @Override
  public Mono<Snapshot> snapshot() {
    return engine.snapshot();
  }

  @Override
  public Mono<CommitResult> commit(Commit commit) {
    return traced("commit", commit.mutations().size(), engine.commit(commit));
  }

  @Override
  public Flux<ReadResult> watch(List<byte[]> keys) {
    return engine.watch(keys);
  }

  @Override
  public Flux<ReadResult> watch(List<byte[]> keys, long maxBytes) {
    return engine.watch(keys, maxBytes);
  }

  @Override
  public Flux<CommittedChanges> changes(ChangesRequest request) {
    return engine.changes(request);
  }

  @Override
  public Mono<List<LeasedMessage>> claim(String queue, int max, long leaseMillis) {
    return traced("claim", max, engine.claim(queue, max, leaseMillis));
  }

  @Override
  public Mono<List<LeaseToken>> extend(List<LeaseToken> leases, long leaseMillis) {
    return traced("extend", leases.size(), engine.extend(leases, leaseMillis));
  }

  @Override
  public Mono<Void> finish(LeaseToken lease, Finish how) {
    return traced("finish", 1, engine.finish(lease, how));
  }

  @Override
  public Mono<List<QueueStats>> queueStats() {
    return engine.queueStats();
  }

  @Override
  public Mono<KvStats> stats() {
    return engine.stats();
  }

  @Override
  public Flux<BackupProgress> backup(Path directory) {
    return engine.backup(directory);
  }

  @Override
  public Mono<VerifyReport> verify() {
    return traced("verify", 1, engine.verify());
  }

  @Override
  public long now() {
    return engine.now();
  }

  @Override
  public Flux<CompactionProgress> compact() {
    return engine.compact();
  }

  @Override
  public KvLimits limits() {
    return engine.limits();
  }

  /** Does nothing: the engine belongs to the server. */
  @Override
  public Mono<Void> close() {
    return Mono.empty();
  }
}
