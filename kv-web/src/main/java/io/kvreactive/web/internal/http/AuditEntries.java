package io.kvreactive.web.internal.http;

import io.kvreactive.web.internal.auth.AuditEntry;
import io.kvreactive.web.internal.auth.Grant;
import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.auth.RefusalLog;
import io.vertx.core.net.SocketAddress;
import io.vertx.ext.web.RoutingContext;
import java.util.function.Function;

/** Entries of the audit log that name the request they come from. */
public final class AuditEntries {
  private AuditEntries() {}

  /** What an administrator asked for: to be logged when it is begun. */
  public static AuditEntry done(RoutingContext context, String event) {
    return of(context, AuditEntry.done(event));
  }

  /** What was refused. */
  public static AuditEntry refused(RoutingContext context, String event) {
    return of(context, RequestContext.of(context).logs().refusals().refused(event))
        .with("method", context.request().method().name())
        .with("route", route(context));
  }

  /** What will be refused yet, by event; holds nothing of the request but what is logged. */
  public static Function<String, AuditEntry> refusals(RoutingContext context) {
    Grant grant = RequestContext.of(context).grantIfAny();
    String address = address(context);
    String request = RequestContext.of(context).requestId();
    String method = context.request().method().name();
    String route = route(context);
    RefusalLog refusals = RequestContext.of(context).logs().refusals();
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
    return Operation.route(RoutePaths.below(context));
  }

  private static AuditEntry of(RoutingContext context, AuditEntry audit) {
    RequestContext requestContext = RequestContext.of(context);
    return audit
        .by(requestContext.grantIfAny())
        .with("address", address(context))
        .with("request", requestContext.requestId());
  }

  /** The address that a request comes from; a proxy's, when it comes through one. */
  public static String address(RoutingContext context) {
    SocketAddress address = context.request().remoteAddress();
    String host = address == null ? null : address.hostAddress();
    return host == null ? "unknown" : host;
  }
}
