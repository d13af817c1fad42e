package io.kvreactive.web.internal.connect;

import io.kvreactive.KvErrorCode;
import io.kvreactive.web.internal.http.FailureHandler;
import io.kvreactive.web.internal.http.Problem;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;

/**
 * Errors as KV Connect has them: plain text, which Deno shows to its user. A client repeats what
 * was answered by a 5xx, Deno's own without end, and gives up at a 4xx; so the status tells whether
 * another attempt can help, and not whose fault it is.
 */
final class ConnectFailures {
  private static final int TRY_AGAIN = 503;
  private static final int GIVE_UP = 422;

  private ConnectFailures() {}

  /** A failure handler. */
  static void asText(RoutingContext context) {
    if (FailureHandler.isGone(context)) {
      return;
    }
    HttpServerResponse response = context.response();
    Problem problem = FailureHandler.problem(context);
    if (response.ended() || response.closed()) {
      return;
    }
    if (response.headWritten()) { // what was sent cannot be taken back: the caller must notice
      response.reset();
      return;
    }
    int status = status(problem);
    if (status == TRY_AGAIN && !response.headers().contains("Retry-After")) {
      response.putHeader("Retry-After", "1");
    }
    response
        .setStatusCode(status)
        .putHeader("Content-Type", "text/plain; charset=utf-8")
        .end(problem.code() + ": " + problem.detail() + "\n");
  }

  private static int status(Problem problem) {
    return switch (problem.status()) {
      case 429, 503, 507 -> TRY_AGAIN;
      default ->
          problem.code().equals(KvErrorCode.LOCKED.name())
                  || problem.code().equals(KvErrorCode.IO_FAILED.name()) // until it is seen to
              ? TRY_AGAIN
              : problem.status() < 500 ? problem.status() : GIVE_UP;
    };
  }
}
