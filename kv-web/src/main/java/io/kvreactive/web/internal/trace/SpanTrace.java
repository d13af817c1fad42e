package io.kvreactive.web.internal.trace;

import io.kvreactive.Kv;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import org.jspecify.annotations.Nullable;
import reactor.util.context.Context;

/** The trace of a request that has a span. */
final class SpanTrace implements Trace {
  private final Tracer tracer;
  private final Span span;

  SpanTrace(Tracer tracer, Span span) {
    this.tracer = tracer;
    this.span = span;
  }

  @Override
  public String traceId() {
    return span.getSpanContext().getTraceId();
  }

  @Override
  public String header() {
    SpanContext context = span.getSpanContext();
    return "00-%s-%s-%s"
        .formatted(context.getTraceId(), context.getSpanId(), context.getTraceFlags().asHex());
  }

  @Override
  public Kv traced(Kv kv, String database) {
    if (!span.isRecording()) {
      return kv;
    }
    span.setAttribute("db.namespace", database);
    return kv.withEngine(engine -> TracedEngine.ofRequest(engine, this, database));
  }

  @Override
  public Context context(Context context) {
    return span.isRecording() ? context.put(SpanTrace.class, this) : context;
  }

  Tracer tracer() {
    return tracer;
  }

  Span span() {
    return span;
  }

  @Override
  public void end(String method, @Nullable String route, int status) {
    if (route != null) {
      span.updateName(method + " " + route);
      span.setAttribute("http.route", route);
    }
    if (status != 0) {
      span.setAttribute("http.response.status_code", status);
    }
    if (status == 0 || status >= 500) {
      span.setStatus(StatusCode.ERROR);
    }
    span.end();
  }
}
