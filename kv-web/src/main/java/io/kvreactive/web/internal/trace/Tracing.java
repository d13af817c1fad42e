package io.kvreactive.web.internal.trace;

import io.kvreactive.spi.KvEngine;
import io.vertx.core.http.HttpServerRequest;

/** Starts or continues a trace for every request. */
@FunctionalInterface
public interface Tracing {
  /** Passes the caller's trace on to logs and responses, without recording spans. */
  Tracing HEADERS =
      request -> {
        TraceParent parent = TraceParent.of(request.getHeader("traceparent"));
        return parent == null ? Trace.NONE : parent;
      };

  /** Returns the trace of a new request. */
  Trace begin(HttpServerRequest request);

  /**
   * Returns an engine that requests share. Its operations are spans of the request in the
   * subscriber's Reactor context; see {@link Trace#context}.
   */
  default KvEngine shared(KvEngine engine, String database) {
    return engine;
  }

  /**
   * Returns tracing by OpenTelemetry's global instance if its API is on the class path, otherwise
   * {@link #HEADERS}. The instance is configured by an agent or by the program. It is looked up at
   * the first request, because the lookup initializes it.
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
