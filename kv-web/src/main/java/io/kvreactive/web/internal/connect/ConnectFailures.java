package io.kvreactive.web.internal.connect;

import io.kvreactive.KvErrorCode;
import io.kvreactive.web.internal.http.FailureHandler;
import io.kvreactive.web.internal.http.Problem;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;

/**
 * Writes the error responses of KV Connect: plain text, which Deno shows to its user. Clients retry
 * after a 5xx, and fail after a 4xx; Deno retries without end. The status therefore tells whether a
 * retry can help, and not who caused the error.
 */
final class ConnectFailures {
  private static final int TRY_AGAIN = 503;
  private static final int GIVE_UP = 422;

  private ConnectFailures() {}

  /** Answers a failed request in plain text. */
  static void asText(RoutingContext context) {
    if (FailureHandler.isGone(context)) {
      return;
    }
    HttpServerResponse response = context.response();
    Problem problem = FailureHandler.problem(context);
    if (response.ended() || response.closed()) {
      return;
    }
    if (response.headWritten()) { // a reset shows the caller that the response is incomplete
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
                  || problem
                      .code()
                      .equals(KvErrorCode.IO_FAILED.name()) // until an operator has repaired it
              ? TRY_AGAIN
              : problem.status() < 500 ? problem.status() : GIVE_UP;
    };
  }
}
