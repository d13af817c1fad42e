package io.kvreactive.web.internal.guard;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.web.LimitOptions;
import io.kvreactive.web.WebErrorCode;
import io.kvreactive.web.WebException;
import io.kvreactive.web.internal.auth.Authenticator;
import io.kvreactive.web.internal.auth.Grant;
import io.kvreactive.web.internal.http.AuditEntries;
import io.kvreactive.web.internal.http.RequestContext;
import io.kvreactive.web.internal.http.RequestHandlers;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Authenticates requests by access token and applies the rate limits.
 *
 * <p>Failed attempts are counted per client address. An address over its limit is rejected for a
 * while, except for tokens of at least {@value #UNGUESSABLE_LENGTH} characters: these cannot be
 * guessed, so somebody else's failures cannot lock out a caller behind the same address.
 */
final class AuthHandler {
  static final int UNGUESSABLE_LENGTH = 32;

  private final Authenticator authenticator;
  private final @Nullable RateLimiter failures;
  private final @Nullable RateLimiter requests;

  AuthHandler(Authenticator authenticator, LimitOptions limits) {
    this.authenticator = authenticator;
    this.failures = failures(limits);
    this.requests = requests(limits);
  }

  private static @Nullable RateLimiter failures(LimitOptions limits) {
    int rate = limits.failuresPerMinute();
    return rate == 0
        ? null
        : new RateLimiter(rate, rate, Duration.ofMinutes(1), limits.maxTracked());
  }

  private static @Nullable RateLimiter requests(LimitOptions limits) {
    return limits.requestsPerSecond() == 0
        ? null
        : new RateLimiter(
            limits.burst(), limits.requestsPerSecond(), Duration.ofSeconds(1), limits.maxTracked());
  }

  /**
   * Authenticates the request and calls the next handler. Fails the request with UNAUTHENTICATED or
   * RATE_LIMITED.
   */
  void authenticate(RoutingContext context) {
    String token = RequestHandlers.token(context.request());
    String address = ClientAddresses.caller(context.request().remoteAddress());
    if (failures != null && (token == null || token.length() < UNGUESSABLE_LENGTH)) {
      long pause = failures.peek(address);
      if (pause > 0) {
        throw tooMany(context, pause, "attempts without a valid token");
      }
    }
    try {
      Grant grant = authenticator.authenticate(token);
      RequestHandlers.admit(
          context, grant, authenticator == Authenticator.OPEN ? address : grant.name());
    } catch (KvException e) {
      if (e.code() == KvErrorCode.UNAUTHENTICATED) {
        failed(context, address, e);
      }
      throw e;
    }
    String name = RequestContext.of(context).caller();
    long pause = requests == null ? 0 : requests.take(name);
    if (pause > 0) {
      throw tooMany(context, pause, "requests of token " + name);
    }
    context.next();
  }

  /**
   * Returns the rate limiter for messages on the connection that this request opened. Each call of
   * the limiter takes one permit and returns 0, or returns the nanoseconds until the next permit.
   * Thread-safe.
   */
  LongSupplier messageLimiter(RoutingContext context) {
    RateLimiter counted = requests;
    if (counted == null) {
      return () -> 0;
    }
    String name = RequestContext.of(context).caller();
    return () -> counted.take(name);
  }

  private void failed(RoutingContext context, String address, KvException why) {
    AuditEntries.refused(context, "authentication.failed").with("reason", why.detail()).log();
    if (failures != null) {
      long pause = failures.take(address);
      if (pause > 0) {
        throw tooMany(context, pause, "attempts without a valid token");
      }
    }
  }

  private static WebException tooMany(RoutingContext context, long nanos, String what) {
    long seconds = Math.max(1, TimeUnit.NANOSECONDS.toSeconds(nanos + 999_999_999));
    context.response().putHeader("Retry-After", Long.toString(seconds));
    String detail = "too many " + what + " (expected: a retry after " + seconds + " s)";
    AuditEntries.refused(context, "rate.limited").with("reason", detail).log();
    return new WebException(WebErrorCode.RATE_LIMITED, detail);
  }
}
