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
    Problem problem = FailureHandler.problem(context);
    HttpServerResponse response =
        FailureHandler.begin(context, status(problem), "text/plain; charset=utf-8");
    if (response != null) {
      response.end(problem.code() + ": " + problem.detail() + "\n");
    }
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
