package io.kvreactive.web.internal.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.web.internal.auth.Grant;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import org.jspecify.annotations.Nullable;

/** Answers failed requests. */
public final class FailureHandler {
  /** The logged status of a request whose caller has closed the connection before the response. */
  public static final int CALLER_GONE = 499;

  private FailureHandler() {}

  /**
   * Answers a failed request with problem+json. Resets the request if its caller has disconnected.
   */
  public static void asProblem(RoutingContext context) {
    if (!isGone(context)) {
      answer(context, problem(context));
    }
  }

  /**
   * Returns true if the request failed because its caller has disconnected, and resets such a
   * request: a response would have no reader, and would be counted as an error of the server.
   */
  public static boolean isGone(RoutingContext context) {
    Throwable failure = context.failure();
    boolean gone = failure != null && Problem.isGone(failure);
    if (gone && !context.response().ended()) {
      context.response().reset();
    }
    return gone;
  }

  /**
   * Answers a request that no route has handled.
   *
   * @param status the status if the request has not failed; some contexts do not have it
   */
  public static void asProblem(RoutingContext context, int status) {
    answer(context, context.failed() ? problem(context) : Problem.ofStatus(status));
  }

  private static void answer(RoutingContext context, Problem problem) {
    if (begin(context, problem.status(), Problem.CONTENT_TYPE) == null) {
      return;
    }
    ObjectNode body = problem.toJson(RequestContext.of(context).requestId());
    String traceId = RequestContext.of(context).trace().traceId();
    if (traceId != null) {
      body.put("traceId", traceId);
    }
    ResponseBodies.send(context, body);
  }

  /**
   * Returns the response to a failed request, with its head; null if it has ended or begun. One
   * that has begun is reset, so that the caller notices.
   */
  public static @Nullable HttpServerResponse begin(
      RoutingContext context, int status, String contentType) {
    HttpServerResponse response = context.response();
    if (response.ended() || response.closed()) {
      return null;
    }
    if (response.headWritten()) {
      response.reset();
      return null;
    }
    if ((status == 503 || status == 429) && !response.headers().contains("Retry-After")) {
      response.putHeader("Retry-After", "1");
    }
    return response.setStatusCode(status).putHeader("Content-Type", contentType);
  }

  /**
   * Returns the problem of a failed request. Logs the details for the operator and a rejection in
   * the audit log.
   */
  public static Problem problem(RoutingContext context) {
    Throwable failure = context.failure();
    Problem problem =
        failure == null ? Problem.ofStatus(context.statusCode()) : problemFor(context, failure);
    if (problem.status() == 401 && !context.response().headWritten()) {
      context.response().putHeader("WWW-Authenticate", "Bearer");
    }
    if (problem.status() == 403 && RequestContext.of(context).grantIfAny() != null) {
      AuditEntries.refused(context, "access.refused").with("reason", problem.detail()).log();
    }
    log(context, problem, failure);
    return problem;
  }

  /**
   * Returns the problem of a response that has begun and that reports the failure itself. Logs the
   * details for the operator.
   */
  public static Problem problem(RoutingContext context, Throwable failure) {
    Problem problem = problemFor(context, failure);
    log(context, problem, failure);
    return problem;
  }

  private static Problem problemFor(RoutingContext context, Throwable failure) {
    Grant grant = RequestContext.of(context).grantIfAny();
    return grant == null || grant.reads() ? Problem.of(failure) : Problem.withoutContent(failure);
  }

  private static void log(RoutingContext context, Problem problem, @Nullable Throwable failure) {
    if (problem.forOperators() && (failure == null || !Problem.isGone(failure))) {
      RequestContext requestContext = RequestContext.of(context);
      String subject =
          "request %s %s %s"
              .formatted(
                  requestContext.requestId(), context.request().method(), requestContext.route());
      Throwable why = failure == null ? new IllegalStateException("status 500") : failure;
      requestContext.logs().failures().log(subject, why);
    }
  }
}
