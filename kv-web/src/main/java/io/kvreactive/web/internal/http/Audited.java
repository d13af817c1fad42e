package io.kvreactive.web.internal.http;

import io.kvreactive.web.internal.auth.Audit;
import io.kvreactive.web.internal.auth.Grant;
import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.auth.Refusals;
import io.vertx.core.net.SocketAddress;
import io.vertx.ext.web.RoutingContext;
import java.util.function.Function;

/** Entries of the audit log that name the request they come from. */
public final class Audited {
  private Audited() {}

  /** What an administrator asked for: to be logged when it is begun. */
  public static Audit done(RoutingContext context, String event) {
    return of(context, Audit.done(event));
  }

  /** What was refused. */
  public static Audit refused(RoutingContext context, String event) {
    return of(context, Call.of(context).logs().refusals().refused(event))
        .with("method", context.request().method().name())
        .with("route", route(context));
  }

  /** What will be refused yet, by event; holds nothing of the request but what is logged. */
  public static Function<String, Audit> refusals(RoutingContext context) {
    Grant grant = Call.of(context).grantIfAny();
    String address = address(context);
    String request = Call.of(context).requestId();
    String method = context.request().method().name();
    String route = route(context);
    Refusals refusals = Call.of(context).logs().refusals();
    return event ->
        refusals
            .refused(event)
            .by(grant)
            .with("address", address)
            .with("request", request)
            .with("method", method)
            .with("route", route);
  }

  /** The pattern of the route that is asked for: a path may have ids of items in it. */
  static String route(RoutingContext context) {
    return Operation.route(Paths.below(context));
  }

  private static Audit of(RoutingContext context, Audit audit) {
    Call call = Call.of(context);
    return audit
        .by(call.grantIfAny())
        .with("address", address(context))
        .with("request", call.requestId());
  }

  /** The address that a request comes from; a proxy's, when it comes through one. */
  public static String address(RoutingContext context) {
    SocketAddress address = context.request().remoteAddress();
    String host = address == null ? null : address.hostAddress();
    return host == null ? "unknown" : host;
  }
}
