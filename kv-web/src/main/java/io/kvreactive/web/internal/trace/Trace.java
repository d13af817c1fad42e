package io.kvreactive.web.internal.trace;

import io.kvreactive.Kv;
import org.jspecify.annotations.Nullable;
import reactor.util.context.Context;

/** The place of one request in a distributed trace. */
public interface Trace {
  /** A request that is in no trace. */
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

  /** 32 hex digits; null when the request is in no trace. */
  @Nullable String traceId();

  /** What {@code traceresponse} tells the caller; null when the request is in no trace. */
  @Nullable String header();

  /** A handle on the same store whose operations are spans of this trace, if it is recorded. */
  default Kv traced(Kv kv, String database) {
    return kv;
  }

  /**
   * Returns a subscriber's context in which operations on the collections of a database are spans
   * of this trace, if it is recorded.
   */
  default Context context(Context context) {
    return context;
  }

  /**
   * Ends the request's span.
   *
   * @param route the pattern of its path; null when there is none
   * @param status of the response; 0 when the caller had gone before
   */
  default void end(String method, @Nullable String route, int status) {}
}
