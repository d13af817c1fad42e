package io.kvreactive.web.internal.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers requests that failed. */
public final class Failures {
  private static final Logger LOG = LoggerFactory.getLogger(Failures.class);

  private Failures() {}

  /** A failure handler: problem+json. */
  public static void asProblem(RoutingContext context) {
    answer(context, problem(context));
  }

  /** For what no route has taken, in whatever router: some contexts do not know the status. */
  public static void asProblem(RoutingContext context, int status) {
    answer(context, context.failed() ? problem(context) : Problem.ofStatus(status));
  }

  private static void answer(RoutingContext context, Problem problem) {
    String id = Call.of(context).requestId();
    HttpServerResponse response = context.response();
    if (response.ended() || response.closed()) {
      return;
    }
    if (response.headWritten()) { // what was sent cannot be taken back: the caller must notice
      response.reset();
      return;
    }
    ObjectNode body = problem.toJson(id);
    if ((problem.status() == 503 || problem.status() == 429)
        && !response.headers().contains("Retry-After")) {
      response.putHeader("Retry-After", "1");
    }
    String traceId = Call.of(context).trace().traceId();
    if (traceId != null) {
      body.put("traceId", traceId);
    }
    response.setStatusCode(problem.status()).putHeader("Content-Type", Problem.CONTENT_TYPE);
    Ends.with(context, body.toString());
  }

  /** The problem of a failed request; what the operator should know of it is logged. */
  public static Problem problem(RoutingContext context) {
    Throwable failure = context.failure();
    Problem problem =
        failure == null ? Problem.ofStatus(context.statusCode()) : Problem.of(failure);
    if (problem.status() == 401 && !context.response().headWritten()) {
      context.response().putHeader("WWW-Authenticate", "Bearer");
    }
    if (problem.status() == 403 && Call.of(context).grantIfAny() != null) {
      Audited.refused(context, "access.refused").with("reason", problem.detail()).log();
    }
    log(context, problem, failure);
    return problem;
  }

  /** The problem of an answer that had begun, which tells of it by itself; logged like others. */
  public static Problem problem(RoutingContext context, Throwable failure) {
    Problem problem = Problem.of(failure);
    log(context, problem, failure);
    return problem;
  }

  private static void log(RoutingContext context, Problem problem, @Nullable Throwable failure) {
    if (problem.forOperators()) {
      log(context, failure);
    }
  }

  private static void log(RoutingContext context, @Nullable Throwable failure) {
    if (failure == null || !Problem.isGone(failure)) {
      LOG.error(
          "request {} {} {} failed",
          Call.of(context).requestId(),
          context.request().method(),
          context.request().path(),
          failure);
    }
  }
}
