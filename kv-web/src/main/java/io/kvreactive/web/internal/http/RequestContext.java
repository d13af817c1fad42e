package io.kvreactive.web.internal.http;

import io.kvreactive.Kv;
import io.kvreactive.KvKey;
import io.kvreactive.index.KvIndex;
import io.kvreactive.spi.Commit;
import io.kvreactive.web.internal.auth.CommitScope;
import io.kvreactive.web.internal.auth.Grant;
import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.database.Database;
import io.kvreactive.web.internal.trace.Trace;
import io.vertx.ext.web.RoutingContext;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** One request: who asks, of which database, under which id. */
public final class RequestContext {
  private static final String KEY = RequestContext.class.getName();

  private final String requestId;
  private final ServerLogs logs;
  private @Nullable Grant grant;
  private String caller = "";
  private @Nullable Database database;
  private @Nullable Mono<Database> making;
  private @Nullable Kv kv;
  private @Nullable Operation operation;
  private boolean authorized;
  private @Nullable String route;
  private Trace trace = Trace.NONE;
  private Runnable upgraded = () -> {};

  RequestContext(String requestId, ServerLogs logs) {
    this.requestId = requestId;
    this.logs = logs;
  }

  /** The call of a request that has passed {@link RequestHandlers}. */
  public static RequestContext of(RoutingContext context) {
    RequestContext requestContext = context.get(KEY);
    if (requestContext == null) {
      throw new IllegalStateException("no call was begun for " + context.request().path());
    }
    return requestContext;
  }

  static RequestContext begin(RoutingContext context, String requestId, ServerLogs logs) {
    RequestContext requestContext = new RequestContext(requestId, logs);
    context.put(KEY, requestContext);
    return requestContext;
  }

  /** For logs and errors; the caller may have given it. */
  public String requestId() {
    return requestId;
  }

  /** The logs of the server. */
  public ServerLogs logs() {
    return logs;
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

  /**
   * The key by which this caller's use of the server is limited; see {@link RequestHandlers#admit}.
   */
  public String caller() {
    return caller;
  }

  void grant(Grant granted, String key) {
    this.grant = granted;
    this.caller = key;
  }

  /**
   * Authorizes the caller for an operation: the first step of each route, before anything of the
   * request is read. An operation by key is authorized when its keys are, too.
   *
   * @throws io.kvreactive.KvException FORBIDDEN
   */
  public void authorize(Operation asked) {
    asked.authorize(grant());
    operation = asked;
    authorized = !asked.isByKey();
  }

  /** Authorizes the caller for a key of the operation. */
  public void authorizeKey(KvKey key) {
    operation().authorizeKey(grant(), key.bytes());
    authorized = true;
  }

  /** Authorizes the caller for a range of the operation. */
  public void authorizeRange(byte[] start, byte[] end) {
    operation().authorizeRange(grant(), start, end);
    authorized = true;
  }

  /** Authorizes the caller for all parts of a commit. */
  public void authorizeCommit(Commit commit) {
    CommitScope.authorize(grant(), commit);
    authorized = true;
  }

  /** Notes that the request names no key, so that there is none to authorize the caller for. */
  public void namesNoKey() {
    authorized = true;
  }

  private Operation operation() {
    if (operation == null) {
      throw new IllegalStateException("the route names no operation");
    }
    return operation;
  }

  private void requireAuthorized() {
    if (!authorized) {
      throw new IllegalStateException("not authorized: " + operation);
    }
  }

  /** The database that is asked. Its store and collections are for authorized requests. */
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

  /** The clock of the database's store; the system's while there is no such database. */
  public LongSupplier clock() {
    return makes() ? System::currentTimeMillis : database().kv().engine()::now;
  }

  /** The collections of the database, for an authorized request. */
  public KvIndex index() {
    requireAuthorized();
    return database().index();
  }

  /**
   * The store of the database, for an authorized request; its operations are part of the request's
   * trace.
   */
  public Kv kv() {
    requireAuthorized();
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
