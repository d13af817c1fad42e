package io.kvreactive.web.internal.trace;

import io.kvreactive.Kv;
import org.jspecify.annotations.Nullable;
import reactor.util.context.Context;

/** The place of one request in a distributed trace. */
public interface Trace {
  /** The trace of a request that has none. */
  Trace NONE =
      new Trace() {
        @Override
        public @Nullable String traceId() {
          return null;
        }

        @Override
        public @Nullable String header() {
          return null;
        }
      };

  /** Returns the trace id, 32 hex digits; null for a request without a trace. */
  @Nullable String traceId();

  /** Returns the value of the header {@code traceresponse}; null for a request without a trace. */
  @Nullable String header();

  /**
   * Returns a handle on the same store. Its operations are spans of this trace, if the trace is
   * recorded.
   */
  default Kv traced(Kv kv, String database) {
    return kv;
  }

  /**
   * Returns a Reactor context in which operations on collections are spans of this trace, if the
   * trace is recorded.
   */
  default Context context(Context context) {
    return context;
  }

  /**
   * Ends the span of the request.
   *
   * @param route the pattern of the route; null if there is none
   * @param status the status of the response; 0 if the caller had disconnected before
   */
  default void end(String method, @Nullable String route, int status) {}
}
