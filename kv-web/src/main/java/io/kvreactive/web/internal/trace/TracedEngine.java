package io.kvreactive.web.internal.trace;

import io.kvreactive.CommitResult;
import io.kvreactive.KvError;
import io.kvreactive.KvErrorCode;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.Finish;
import io.kvreactive.spi.ForwardingKvEngine;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.LeaseToken;
import io.kvreactive.spi.LeasedMessage;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.ReadResult;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * An engine whose operations are child spans of a request's span. Watches, feeds and statistics are
 * forwarded without a span. Spans contain neither keys nor values.
 *
 * <p>The request is given to the constructor, or found in the subscriber's Reactor context if
 * requests share the engine.
 */
abstract class TracedEngine extends ForwardingKvEngine {
  private final String database;

  private TracedEngine(KvEngine engine, String database) {
    super(engine);
    this.database = database;
  }

  /**
   * Returns an engine for the operations of one request. Closing the returned engine does not close
   * {@code engine}.
   */
  static TracedEngine ofRequest(KvEngine engine, SpanTrace request, String database) {
    return new OfRequest(engine, request, database);
  }

  /**
   * Returns an engine that requests share. Its operations find their request by {@link
   * Trace#context}.
   */
  static TracedEngine shared(KvEngine engine, OpenTelemetryTracing tracing, String database) {
    return new Shared(engine, tracing, database);
  }

  /** Returns the work with a span for each subscription if a recorded request subscribes. */
  abstract <T> Mono<T> traced(String operation, long size, Mono<T> work);

  final <T> Mono<T> within(SpanTrace request, String operation, long size, Mono<T> work) {
    return Mono.defer(
        () -> {
          Span span = span(request, operation, size);
          return work.doOnError(failure -> failed(span, failure)).doFinally(end -> span.end());
        });
  }

  final Span span(SpanTrace request, String operation, long size) {
    Tracer tracer = request.tracer();
    return tracer
        .spanBuilder("kv." + operation)
        .setParent(Context.root().with(request.span()))
        .setSpanKind(SpanKind.INTERNAL)
        .setAttribute("db.system.name", "kv-reactive")
        .setAttribute("db.namespace", database)
        .setAttribute("db.operation.name", operation)
        .setAttribute("db.operation.batch.size", size)
        .startSpan();
  }

  private static void failed(Span span, Throwable failure) {
    span.setStatus(StatusCode.ERROR);
    KvError.Code code = failure instanceof KvError known ? known.code() : KvErrorCode.INTERNAL;
    span.setAttribute("error.type", code.name());
  }

  @Override
  public Mono<ReadResult> read(List<ReadRange> ranges, @Nullable Snapshot snapshot, long maxBytes) {
    return traced("read", ranges.size(), engine().read(ranges, snapshot, maxBytes));
  }

  @Override
  public Mono<Long> count(byte[] start, byte[] end) {
    return traced("count", 1, engine().count(start, end));
  }

  @Override
  public Mono<CommitResult> commit(Commit commit) {
    return traced("commit", commit.mutations().size(), engine().commit(commit));
  }

  @Override
  public Mono<List<LeasedMessage>> claim(String queue, int max, long leaseMillis) {
    return traced("claim", max, engine().claim(queue, max, leaseMillis));
  }

  @Override
  public Mono<List<LeaseToken>> extend(List<LeaseToken> leases, long leaseMillis) {
    return traced("extend", leases.size(), engine().extend(leases, leaseMillis));
  }

  @Override
  public Mono<Void> finish(LeaseToken lease, Finish how) {
    return traced("finish", 1, engine().finish(lease, how));
  }

  private static final class OfRequest extends TracedEngine {
    private final SpanTrace request;

    OfRequest(KvEngine engine, SpanTrace request, String database) {
      super(engine, database);
      this.request = request;
    }

    @Override
    <T> Mono<T> traced(String operation, long size, Mono<T> work) {
      return within(request, operation, size, work);
    }

    /**
     * Returns the read with a span. Without a result there is no span, because {@link #read}
     * follows.
     */
    @Override
    public @Nullable ReadResult readNow(List<ReadRange> ranges) {
      return traced(ranges.size(), () -> engine().readNow(ranges));
    }

    @Override
    public @Nullable ReadResult readHere(
        List<ReadRange> ranges, @Nullable Snapshot snapshot, long maxBytes) {
      return traced(ranges.size(), () -> engine().readHere(ranges, snapshot, maxBytes));
    }

    private @Nullable ReadResult traced(int size, Supplier<@Nullable ReadResult> reading) {
      Span span = span(request, "read", size);
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

    /** Does nothing, because the server owns the engine. */
    @Override
    public Mono<Void> close() {
      return Mono.empty();
    }
  }

  private static final class Shared extends TracedEngine {
    private final OpenTelemetryTracing tracing;

    Shared(KvEngine engine, OpenTelemetryTracing tracing, String database) {
      super(engine, database);
      this.tracing = tracing;
    }

    @Override
    <T> Mono<T> traced(String operation, long size, Mono<T> work) {
      if (!tracing.hasRecorded()) {
        return work;
      }
      return Mono.deferContextual(
          context -> {
            SpanTrace request = context.getOrDefault(SpanTrace.class, null);
            return request == null ? work : within(request, operation, size, work);
          });
    }

    /**
     * Returns null once requests are recorded, because a read on the caller's thread has no Reactor
     * context.
     */
    @Override
    public @Nullable ReadResult readNow(List<ReadRange> ranges) {
      return tracing.hasRecorded() ? null : engine().readNow(ranges);
    }

    /**
     * Returns null once requests are recorded, because a read on the caller's thread has no Reactor
     * context.
     */
    @Override
    public @Nullable ReadResult readHere(
        List<ReadRange> ranges, @Nullable Snapshot snapshot, long maxBytes) {
      return tracing.hasRecorded() ? null : engine().readHere(ranges, snapshot, maxBytes);
    }
  }
}
