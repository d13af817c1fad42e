package io.kvreactive.web.internal.http;

import io.kvreactive.web.WebErrorCode;
import io.kvreactive.web.WebException;
import io.kvreactive.web.internal.auth.Grant;
import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.auth.OperationPaths;
import io.kvreactive.web.internal.auth.OperationPaths.Target;
import io.kvreactive.web.internal.database.Database;
import io.kvreactive.web.internal.database.Databases;
import io.vertx.core.Context;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** The handlers that every request passes before its route. */
public final class RequestHandlers {
  private static final Pattern REQUEST_ID = Pattern.compile("[A-Za-z0-9._:-]{1,64}");
  private static final Pattern BEARER = Pattern.compile("(?i)bearer +(\\S+)");
  private static final CharSequence ID_HEADER = HttpHeaders.createOptimized("x-request-id");
  private static final String SUBPROTOCOL = "bearer.";

  private RequestHandlers() {}

  /**
   * Creates the request context with the operation that the request asks for, and the request id:
   * the caller's id if it is valid, otherwise a random one.
   *
   * @param paths the paths of the operations
   * @param logs the logs of the server
   * @param memory the memory of the server
   */
  public static void begin(
      RoutingContext context, OperationPaths paths, ServerLogs logs, ServerMemory memory) {
    String requested = context.request().getHeader(ID_HEADER);
    String id = requested != null && REQUEST_ID.matcher(requested).matches() ? requested : id();
    RequestContext.begin(context, id, target(context, paths), logs, memory);
    context.response().putHeader(ID_HEADER, id);
    context.next();
  }

  /** Returns a new id. It need not be secret, so that a fast source of randomness will do. */
  private static String id() {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    long most = random.nextLong() & ~0xF000L | 0x4000L; // a random UUID of RFC 9562
    long least = random.nextLong() & Long.MAX_VALUE >>> 1 | Long.MIN_VALUE;
    return new UUID(most, least).toString();
  }

  private static Target target(RoutingContext context, OperationPaths paths) {
    try {
      String method = context.request().method().name();
      Target target = paths.find(method, pathBelow(context));
      if (target.route() != null) {
        context.request().routed(target.route()); // the label of meters
      }
      return target;
    } catch (IllegalArgumentException e) {
      return Target.NONE; // a malformed escape, which is refused later
    }
  }

  /**
   * Returns the path relative to the point at which another program's router has mounted the
   * routes; empty for that point itself without a slash at the end.
   */
  public static String pathBelow(RoutingContext context) {
    String path = context.normalizedPath();
    String mount = context.mountPoint();
    if (mount == null) {
      return path;
    }
    String before = mount.endsWith("/") ? mount.substring(0, mount.length() - 1) : mount;
    return path.equals(before) || path.startsWith(before + "/")
        ? path.substring(before.length())
        : path;
  }

  /**
   * Records the rights of the caller.
   *
   * @param caller the key under which the rate is limited: the name of the token, or the address if
   *     the server requires no token
   */
  public static void admit(RoutingContext context, Grant grant, String caller) {
    RequestContext.of(context).grant(grant, caller);
  }

  /**
   * Looks up the database of a request and opens it if necessary. A database that the request may
   * create is created later, by {@link #whenCreated}.
   */
  public static void database(RoutingContext context, Databases databases) {
    RequestContext requestContext = RequestContext.of(context);
    Target target = requestContext.target();
    Operation operation = target.operation();
    if (operation != null && operation.home() == Operation.Home.SERVER) {
      context.next();
      return;
    }
    String name = target.database();
    Grant grant = requestContext.grant();
    String requested = name == null ? Databases.DEFAULT : name;
    if (!grant.databases().isEmpty() && !grant.databases().contains(requested)) {
      throw new WebException(
          WebErrorCode.FORBIDDEN, "token " + grant.name() + " does not permit this database");
    }
    Database open = databases.openNow(requested);
    if (open != null) {
      requestContext.database(open);
      context.next();
      return;
    }
    boolean mayCreate =
        name != null && operation != null && operation.home() == Operation.Home.FIRST_USE;
    Mono<Optional<Database>> found =
        (mayCreate ? databases.absent(requested, grant) : Mono.just(false))
            .flatMap(
                absent ->
                    absent
                        ? Mono.just(Optional.empty())
                        : databases.open(requested, grant, false).map(Optional::of));
    whenDone(
        context,
        found,
        database -> {
          database.ifPresentOrElse(
              requestContext::database,
              () -> requestContext.createWith(databases.open(requested, grant, true)));
          context.next();
        });
  }

  /**
   * Creates the database if it does not exist and the request may create it, then calls {@code
   * then} on the request's event loop. Must be called after the request was validated.
   */
  public static void whenCreated(RoutingContext context, Runnable then) {
    RequestContext requestContext = RequestContext.of(context);
    if (requestContext.createsDatabase()) {
      whenDone(context, requestContext.createdDatabase(), created -> then.run());
    } else {
      then.run();
    }
  }

  private static <T> void whenDone(RoutingContext context, Mono<T> work, Consumer<T> then) {
    HttpServerRequest request = context.request();
    boolean waits = !request.isEnded();
    if (waits) {
      request.pause();
    }
    Context here = Outlet.current(); // a shared open signals on the first subscriber's context
    work.subscribe(
        done ->
            here.runOnContext(
                on -> {
                  if (!context.response().closed()) { // otherwise the caller has disconnected
                    resume(context, waits, () -> then.accept(done));
                  }
                }),
        failure -> here.runOnContext(on -> resume(context, waits, () -> context.fail(failure))));
  }

  private static void resume(RoutingContext context, boolean waited, Runnable then) {
    if (waited) {
      context.request().resume();
    }
    try {
      then.run();
    } catch (RuntimeException e) {
      context.fail(e);
    }
  }

  /**
   * Returns the bearer token; null if there is none. A WebSocket of a browser has it as a
   * subprotocol, because browsers cannot send other headers with a handshake.
   */
  public static @Nullable String token(HttpServerRequest request) {
    String header = request.getHeader(HttpHeaders.AUTHORIZATION);
    if (header != null) {
      var bearer = BEARER.matcher(header.strip());
      return bearer.matches() ? bearer.group(1) : null;
    }
    String protocols = request.getHeader("Sec-WebSocket-Protocol");
    if (protocols != null) {
      for (String protocol : protocols.split(",", 16)) {
        if (protocol.strip().startsWith(SUBPROTOCOL)) {
          return protocol.strip().substring(SUBPROTOCOL.length());
        }
      }
    }
    return null;
  }
}
