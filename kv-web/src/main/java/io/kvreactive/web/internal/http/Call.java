package io.kvreactive.web.internal.http;

import io.kvreactive.Kv;
import io.kvreactive.web.internal.auth.Grant;
import io.kvreactive.web.internal.auth.Refusals;
import io.kvreactive.web.internal.database.Database;
import io.kvreactive.web.internal.trace.Trace;
import io.vertx.ext.web.RoutingContext;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** One request: who asks, of which database, under which id. */
public final class Call {
  private static final String KEY = Call.class.getName();

  private final String requestId;
  private final Refusals refusals;
  private @Nullable Grant grant;
  private @Nullable Database database;
  private @Nullable Mono<Database> making;
  private @Nullable Kv kv;
  private @Nullable String route;
  private Trace trace = Trace.NONE;
  private Runnable upgraded = () -> {};

  Call(String requestId, Refusals refusals) {
    this.requestId = requestId;
    this.refusals = refusals;
  }

  /** The call of a request that has passed {@link Calls}. */
  public static Call of(RoutingContext context) {
    Call call = context.get(KEY);
    if (call == null) {
      throw new IllegalStateException("no call was begun for " + context.request().path());
    }
    return call;
  }

  static Call begin(RoutingContext context, String requestId, Refusals refusals) {
    Call call = new Call(requestId, refusals);
    context.put(KEY, call);
    return call;
  }

  /** For logs and errors; the caller may have given it. */
  public String requestId() {
    return requestId;
  }

  /** Where what is refused to this request is logged. */
  Refusals refusals() {
    return refusals;
  }

  /** What the caller may do. */
  public Grant grant() {
    if (grant == null) {
      throw new IllegalStateException("not authenticated");
    }
    return grant;
  }

  /** The grant, or null when the caller has not been authenticated (yet). */
  public @Nullable Grant grantIfAny() {
    return grant;
  }

  void grant(Grant granted) {
    this.grant = granted;
  }

  /** The database that is asked. */
  public Database database() {
    Database asked = database;
    if (asked == null) {
      throw new IllegalStateException("no database");
    }
    return asked;
  }

  void database(Database asked) {
    this.database = asked;
  }

  void making(Mono<Database> first) {
    this.making = first;
  }

  /** Whether the database is not there yet, and is to be made when the request makes sense. */
  public boolean makes() {
    return database == null && making != null;
  }

  /** Makes the database; for a request that {@link #makes} one. Emits anywhere. */
  public Mono<Database> made() {
    Mono<Database> first = making;
    return first == null ? Mono.just(database()) : first.doOnNext(this::database);
  }

  /** The store of the database that is asked; its operations are part of the request's trace. */
  public Kv kv() {
    Kv known = kv;
    if (known == null) {
      known = trace.traced(database().kv(), database().name());
      kv = known;
    }
    return known;
  }

  /** The database, or null when it has not been found (yet). */
  public @Nullable Database databaseIfAny() {
    return database;
  }

  /** The request's place in a distributed trace. */
  public Trace trace() {
    return trace;
  }

  /** Takes up a trace. */
  public void trace(Trace begun) {
    this.trace = begun;
  }

  /** Sets what is done when the request has become a WebSocket. */
  public void onUpgrade(Runnable done) {
    this.upgraded = done;
  }

  /** The request has become a WebSocket: it is under way no more. */
  public void upgraded() {
    upgraded.run();
  }

  /** The pattern of the path that was matched, or null. */
  public @Nullable String route() {
    return route;
  }

  /** Sets the pattern that was matched. */
  public void route(@Nullable String pattern) {
    this.route = pattern;
  }
}
