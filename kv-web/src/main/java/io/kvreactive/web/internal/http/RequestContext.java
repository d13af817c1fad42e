package io.kvreactive.web.internal.http;

import io.kvreactive.Kv;
import io.kvreactive.KvKey;
import io.kvreactive.documents.DocumentStore;
import io.kvreactive.spi.Commit;
import io.kvreactive.web.internal.auth.CommitScope;
import io.kvreactive.web.internal.auth.Grant;
import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.auth.OperationPaths.Target;
import io.kvreactive.web.internal.database.Database;
import io.kvreactive.web.internal.trace.Trace;
import io.vertx.ext.web.RoutingContext;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** The context of one request: its id, caller, database, authorization and trace. */
public final class RequestContext {
  private static final String KEY = RequestContext.class.getName();

  private final String requestId;
  private final Target target;
  private final ServerLogs logs;
  private final ServerMemory memory;
  private @Nullable Grant grant;
  private String caller = "";
  private @Nullable Database database;
  private @Nullable Mono<Database> creation;
  private @Nullable Kv kv;
  private @Nullable Operation operation;
  private boolean authorized;
  private boolean needsNoToken;
  private Trace trace = Trace.NONE;
  private Runnable upgraded = () -> {};

  private RequestContext(String requestId, Target target, ServerLogs logs, ServerMemory memory) {
    this.requestId = requestId;
    this.target = target;
    this.logs = logs;
    this.memory = memory;
  }

  /** Returns the context of a request that has passed {@link RequestHandlers#begin}. */
  public static RequestContext of(RoutingContext context) {
    RequestContext requestContext = context.get(KEY);
    if (requestContext == null) {
      throw new IllegalStateException("no request context for " + context.request().path());
    }
    return requestContext;
  }

  private static <T> T present(@Nullable T known, String otherwise) {
    if (known == null) {
      throw new IllegalStateException(otherwise);
    }
    return known;
  }

  static RequestContext begin(
      RoutingContext context,
      String requestId,
      Target target,
      ServerLogs logs,
      ServerMemory memory) {
    RequestContext requestContext = new RequestContext(requestId, target, logs, memory);
    context.put(KEY, requestContext);
    return requestContext;
  }

  /** Returns the request id for logs and errors, which the caller may have chosen. */
  public String requestId() {
    return requestId;
  }

  /** Returns the operation and the names of the path. */
  public Target target() {
    return target;
  }

  /** Returns a decoded name of the path, by its name in the pattern; null if it has none. */
  public @Nullable String nameIfAny(String variable) {
    return target.names().get(variable);
  }

  /** Returns a decoded name of the path, by its name in the pattern. */
  public String name(String variable) {
    return present(
        nameIfAny(variable), "no :" + variable + " in the path of " + target.operation());
  }

  /**
   * Returns the pattern of the path, or {@code -} if there is no such route. The path is not
   * logged, because it may contain ids of items.
   */
  public String route() {
    String route = target.route();
    return route == null ? "-" : route;
  }

  /** Returns the logs of the server. */
  public ServerLogs logs() {
    return logs;
  }

  /** Returns a new share of the memory of responses to the caller, which must be released. */
  public ByteBudget.Share answerMemory() {
    return memory.answer(caller);
  }

  /** Returns the rights of the caller. */
  public Grant grant() {
    return present(grant, "not authenticated");
  }

  /** Returns the rights of the caller; null before the authentication. */
  public @Nullable Grant grantIfAny() {
    return grant;
  }

  /**
   * Returns the key under which the rate of this caller is limited; see {@link
   * RequestHandlers#admit}.
   */
  public String caller() {
    return caller;
  }

  void grant(Grant granted, String key) {
    this.grant = granted;
    this.caller = key;
  }

  /**
   * Authorizes the caller for the operation of the request, before anything else of the request is
   * read. Operations on keys also require {@link #authorizeKey}, {@link #authorizeRange}, {@link
   * #authorizeCommit} or {@link #namesNoKey}.
   *
   * @throws io.kvreactive.KvException FORBIDDEN
   */
  void authorize() {
    Operation requested = present(target.operation(), "no operation");
    if (requested.rights() == Operation.Rights.NO_TOKEN || needsNoToken) {
      return;
    }
    authorize(requested);
  }

  /** Records that this request needs no token. */
  public void needsNoToken() {
    needsNoToken = true;
  }

  /**
   * Authorizes the caller for another operation, which the request asks for besides its own.
   *
   * @throws io.kvreactive.KvException FORBIDDEN
   */
  public void authorize(Operation requested) {
    requested.authorize(grant());
    operation = requested;
    authorized = !requested.isByKey();
  }

  /**
   * Authorizes the caller for a key of the operation.
   *
   * @throws io.kvreactive.KvException FORBIDDEN
   */
  public void authorizeKey(KvKey key) {
    operation().authorizeKey(grant(), key.bytes());
    authorized = true;
  }

  /**
   * Authorizes the caller for a range of the operation.
   *
   * @throws io.kvreactive.KvException FORBIDDEN
   */
  public void authorizeRange(byte[] start, byte[] end) {
    operation().authorizeRange(grant(), start, end);
    authorized = true;
  }

  /**
   * Authorizes the caller for all parts of a commit.
   *
   * @throws io.kvreactive.KvException FORBIDDEN
   */
  public void authorizeCommit(Commit commit) {
    CommitScope.authorize(grant(), commit);
    authorized = true;
  }

  /** Records that the request names no key, so that only the operation requires authorization. */
  public void namesNoKey() {
    authorized = true;
  }

  private Operation operation() {
    return present(operation, "the route has not authorized an operation");
  }

  private void requireAuthorized() {
    if (!authorized) {
      throw new IllegalStateException("not authorized: " + operation);
    }
  }

  /**
   * Returns the database of the request. Only authorized requests may use its store and
   * collections.
   */
  public Database database() {
    return present(database, "no database");
  }

  void database(Database requested) {
    this.database = requested;
  }

  void createWith(Mono<Database> first) {
    this.creation = first;
  }

  /**
   * Returns true if the database does not exist and will be created when the request has been
   * validated.
   */
  public boolean createsDatabase() {
    return database == null && creation != null;
  }

  /**
   * Emits the database, after creating it for a request for which {@link #createsDatabase} is true.
   * Emits on any thread.
   */
  public Mono<Database> createdDatabase() {
    Mono<Database> first = creation;
    return first == null ? Mono.just(database()) : first.doOnNext(this::database);
  }

  /**
   * Returns the clock of the database's store, or the system clock if the database does not exist.
   */
  public LongSupplier clock() {
    return createsDatabase() ? System::currentTimeMillis : database().kv().engine()::now;
  }

  /** Returns the collections of the database. The request must be authorized. */
  public DocumentStore documents() {
    requireAuthorized();
    return database().documents();
  }

  /**
   * Returns the store of the database, whose operations are part of the request's trace. The
   * request must be authorized.
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

  /** Returns the database; null if it has not been found yet or does not exist. */
  public @Nullable Database databaseIfAny() {
    return database;
  }

  /** Returns the request's place in a distributed trace. */
  public Trace trace() {
    return trace;
  }

  /** Sets the trace. */
  public void trace(Trace begun) {
    this.trace = begun;
  }

  /** Sets the callback for the upgrade to a WebSocket. */
  public void onUpgrade(Runnable done) {
    this.upgraded = done;
  }

  /** Records that the request has become a WebSocket and is no longer pending. */
  public void upgraded() {
    upgraded.run();
  }
}
