package io.kvreactive.web.internal.trace;

import io.kvreactive.spi.KvEngine;
import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.vertx.core.http.HttpServerRequest;
import org.jspecify.annotations.Nullable;

/** Tracing with an OpenTelemetry span for every request. */
final class OpenTelemetryTracing implements Tracing {
  private static final String NAME = "io.kvreactive.web";

  private static final TextMapGetter<HttpServerRequest> HEADERS_OF =
      new TextMapGetter<>() {
        @Override
        public Iterable<String> keys(HttpServerRequest request) {
          return request.headers().names();
        }

        @Override
        public @Nullable String get(@Nullable HttpServerRequest request, String key) {
          return request == null ? null : request.getHeader(key);
        }
      };

  private volatile boolean hasRecorded;

  @Override
  public Trace begin(HttpServerRequest request) {
    Tracer tracer = GlobalOpenTelemetry.getTracer(NAME);
    Span around = Span.current(); // an agent may have created a span already
    boolean inner = around.getSpanContext().isValid();
    Context parent =
        inner
            ? Context.current()
            : GlobalOpenTelemetry.getPropagators()
                .getTextMapPropagator()
                .extract(Context.root(), request, HEADERS_OF);
    Span span =
        tracer
            .spanBuilder(request.method().name())
            .setParent(parent)
            .setSpanKind(inner ? SpanKind.INTERNAL : SpanKind.SERVER)
            .setAttribute("http.request.method", request.method().name())
            .startSpan();
    if (!span.getSpanContext().isValid()) { // OpenTelemetry is not configured
      return HEADERS.begin(request);
    }
    if (span.isRecording() && !hasRecorded) {
      hasRecorded = true;
    }
    return new SpanTrace(tracer, span);
  }

  @Override
  public KvEngine shared(KvEngine engine, String database) {
    return TracedEngine.shared(engine, this, database);
  }

  /** Returns true after a request has been recorded. Until then, shared engines create no spans. */
  boolean hasRecorded() {
    return hasRecorded;
  }
}
