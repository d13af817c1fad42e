package io.kvreactive.web.internal.rest;

import io.kvreactive.CommitResult;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.Versionstamp;
import io.kvreactive.spi.Check;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.Enqueue;
import io.kvreactive.spi.Mutation;
import io.kvreactive.web.WebErrorCode;
import io.kvreactive.web.WebException;
import io.kvreactive.web.internal.auth.CommitScope;
import io.kvreactive.web.internal.http.RequestContext;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** The common parts of routes that write: commit ids, preconditions and expiry. */
final class WriteRequests {
  static final String IDEMPOTENCY_KEY = "Idempotency-Key";

  private static final Pattern ID = Pattern.compile("[\\x21-\\x7e]{1,255}");

  private WriteRequests() {}

  /** Returns a commit of these parts, as {@link #commit(RoutingContext, Commit)}. */
  static Commit commit(
      RoutingContext context, List<Check> checks, List<Mutation> changes, List<Enqueue> messages) {
    return commit(context, new Commit(checks, List.of(), changes, messages, null));
  }

  /**
   * Returns the commit with the request's {@code Idempotency-Key} as its id. Authorizes the caller
   * for all parts.
   *
   * @throws KvException FORBIDDEN
   */
  static Commit commit(RoutingContext context, Commit requested) {
    Commit commit =
        new Commit(
            requested.checks(),
            requested.rangeChecks(),
            requested.mutations(),
            requested.enqueues(),
            id(context));
    RequestContext.of(context).authorizeCommit(commit);
    return commit;
  }

  private static @Nullable String id(RoutingContext context) {
    String id = context.request().getHeader(IDEMPOTENCY_KEY);
    if (id == null) {
      return null;
    }
    if (!ID.matcher(id).matches()) {
      throw StrictJson.bad(
          "%s: \"%s\" (expected: 1 to 255 visible ASCII characters)"
              .formatted(IDEMPOTENCY_KEY, StrictJson.excerpt(id)));
    }
    return CommitScope.id(RequestContext.of(context).grant(), id);
  }

  /** Commits. Emits on the Vert.x context that is current at this call. */
  static Mono<CommitResult> run(RoutingContext context, Commit commit) {
    return RequestContext.of(context).kv().engine().commit(commit).publishOn(Responses.here());
  }

  /** Commits and answers with the versionstamp, or fails the request with CHECK_FAILED. */
  static void answer(RoutingContext context, Commit commit) {
    Responses.when(
        context, run(context, commit), result -> Responses.committed(context, stampOf(result)));
  }

  /**
   * Returns the versionstamp of a commit.
   *
   * @throws WebException CHECK_FAILED
   */
  static Versionstamp stampOf(CommitResult result) {
    Versionstamp versionstamp = result.versionstamp();
    if (versionstamp == null) {
      throw new WebException(
          WebErrorCode.CHECK_FAILED, "the key has changed, does not exist, or already exists");
    }
    return versionstamp;
  }

  /** Returns the checks of a key that the preconditions of the request require. */
  static List<Check> conditions(RoutingContext context, KvKey key) {
    if (Preconditions.mustBeAbsent(context)) {
      return List.of(new Check(key.bytes(), null));
    }
    Versionstamp version = Preconditions.mustMatch(context);
    return version == null ? List.of() : List.of(new Check(key.bytes(), version));
  }

  /**
   * Authorizes the caller for a key and returns the key.
   *
   * @throws KvException INVALID_KEY for the empty key, FORBIDDEN
   */
  static KvKey authorized(RoutingContext context, KvKey key) {
    if (key.isEmpty()) {
      throw new KvException(KvErrorCode.INVALID_KEY, "key: [] (expected: at least one part)");
    }
    RequestContext.of(context).authorizeKey(key);
    return key;
  }

  /**
   * Returns the expiry in milliseconds since 1970; 0 for none.
   *
   * @param clock the clock of the store
   * @param in the milliseconds from now, or -1
   * @param at the time in milliseconds since 1970, 0 for none, or -1
   */
  static long expireAt(LongSupplier clock, long in, long at) {
    if (in >= 0 && at >= 0) {
      throw StrictJson.bad("expireIn and expireAt (expected: one of them)");
    }
    if (in >= 0) {
      long now = clock.getAsLong();
      if (in > Long.MAX_VALUE - now) {
        throw StrictJson.bad("expireIn: " + in + " (expected: a time in 64 bits)");
      }
      return Math.max(1, now + in);
    }
    return Math.max(0, at);
  }
}
