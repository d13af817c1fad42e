package io.kvreactive.web.internal.http;

import io.kvreactive.web.internal.auth.AuditEntry;
import io.kvreactive.web.internal.auth.Grant;
import io.kvreactive.web.internal.auth.RefusalLog;
import io.vertx.core.net.SocketAddress;
import io.vertx.ext.web.RoutingContext;
import java.util.function.Function;

/** Creates entries of the audit log that identify their request. */
public final class AuditEntries {
  private AuditEntries() {}

  /** Returns an entry for an action of an administrator, to be logged when the action begins. */
  public static AuditEntry done(RoutingContext context, String event) {
    return actions(context).apply(event);
  }

  /**
   * Returns a function that creates entries for later actions of the request's connection, by
   * event. The function keeps the logged fields of the request only.
   */
  public static Function<String, AuditEntry> actions(RoutingContext context) {
    Grant grant = RequestContext.of(context).grantIfAny();
    String address = address(context);
    String request = RequestContext.of(context).requestId();
    return event ->
        AuditEntry.done(event).by(grant).with("address", address).with("request", request);
  }

  /** Returns an entry for a rejected request. */
  public static AuditEntry refused(RoutingContext context, String event) {
    return refusals(context).apply(event);
  }

  /**
   * Returns a function that creates entries for later rejections, by event. The function keeps the
   * logged fields of the request only.
   */
  public static Function<String, AuditEntry> refusals(RoutingContext context) {
    Grant grant = RequestContext.of(context).grantIfAny();
    String address = address(context);
    String request = RequestContext.of(context).requestId();
    String method = context.request().method().name();
    String route = RequestContext.of(context).route();
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

  /** Returns the remote address of a request, which is that of the proxy if there is one. */
  public static String address(RoutingContext context) {
    SocketAddress address = context.request().remoteAddress();
    String host = address == null ? null : address.hostAddress();
    return host == null ? "unknown" : host;
  }
}
