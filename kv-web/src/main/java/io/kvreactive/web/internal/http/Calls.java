package io.kvreactive.web.internal.http;

import io.kvreactive.web.internal.auth.Grant;
import io.kvreactive.web.internal.auth.Refusals;
import io.kvreactive.web.internal.database.Database;
import io.kvreactive.web.internal.database.Databases;
import io.kvreactive.web.internal.database.FirstUse;
import io.vertx.core.Context;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The steps that every request takes before its route. */
public final class Calls {
  private static final Pattern REQUEST_ID = Pattern.compile("[A-Za-z0-9._:-]{1,64}");
  private static final Pattern BEARER = Pattern.compile("(?i)bearer +(\\S+)");
  private static final String SUBPROTOCOL = "bearer.";

  private Calls() {}

  /**
   * Gives the request its id: the caller's, when it is a sensible one.
   *
   * @param refusals of the server that is asked
   */
  public static void begin(RoutingContext context, Refusals refusals) {
    String asked = context.request().getHeader("X-Request-Id");
    String id =
        asked != null && REQUEST_ID.matcher(asked).matches() ? asked : UUID.randomUUID().toString();
    Call.begin(context, id, refusals);
    context.response().putHeader("X-Request-Id", id);
    context.next();
  }

  /** Tells the request who asks. */
  public static void admit(RoutingContext context, Grant grant) {
    Call.of(context).grant(grant);
  }

  /**
   * Finds the database that is asked; one that is not open yet is opened, or made by a request that
   * may, and the request waits.
   *
   * @param name null for the default one
   */
  public static void database(RoutingContext context, Databases databases, @Nullable String name) {
    Call call = Call.of(context);
    Grant grant = call.grant();
    String asked = name == null ? Databases.DEFAULT : name;
    if (!grant.databases().isEmpty() && !grant.databases().contains(asked)) {
      throw new WebException(
          WebErrorCode.FORBIDDEN, "token " + grant.name() + " does not reach database " + asked);
    }
    Database open = databases.openNow(asked);
    if (open != null) {
      call.database(open);
      context.next();
      return;
    }
    context.request().pause();
    Context here = Streaming.current(); // who waits with others is told where the first one is
    databases
        .open(asked, grant, FirstUse.makes(context.request().method(), context.normalizedPath()))
        .subscribe(
            opened ->
                here.runOnContext(
                    on -> {
                      call.database(opened);
                      context.request().resume();
                      context.next();
                    }),
            failure ->
                here.runOnContext(
                    on -> {
                      context.request().resume();
                      context.fail(failure);
                    }));
  }

  /** The bearer token; browsers cannot send headers with a WebSocket, so also a subprotocol. */
  public static @Nullable String token(HttpServerRequest request) {
    String header = request.getHeader("Authorization");
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
