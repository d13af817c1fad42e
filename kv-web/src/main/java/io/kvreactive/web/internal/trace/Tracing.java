package io.kvreactive.web.internal.trace;

import io.kvreactive.spi.KvEngine;
import io.vertx.core.http.HttpServerRequest;

/** Begins a trace, or takes one up, for every request. */
@FunctionalInterface
public interface Tracing {
  /** Passes the caller's trace on to logs and responses, and records nothing. */
  Tracing HEADERS =
      request -> {
        TraceParent parent = TraceParent.of(request.getHeader("traceparent"));
        return parent == null ? Trace.NONE : parent;
      };

  /** The trace of a request that has just come in. */
  Trace begin(HttpServerRequest request);

  /**
   * Returns an engine that requests share, whose operations are spans of the request in the
   * subscriber's context (see {@link Trace#context}).
   */
  default KvEngine shared(KvEngine engine, String database) {
    return engine;
  }

  /**
   * OpenTelemetry's global instance, as an agent or the program has set it up, if its API is on the
   * class path; else only headers. That instance is looked for when the first request comes, since
   * asking for it settles it.
   */
  static Tracing find() {
    try {
      Class.forName("io.opentelemetry.api.GlobalOpenTelemetry");
      return new OpenTelemetryTracing();
    } catch (ClassNotFoundException | LinkageError e) {
      return HEADERS;
    }
  }
}
