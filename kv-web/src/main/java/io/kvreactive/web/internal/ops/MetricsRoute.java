package io.kvreactive.web.internal.ops;

import io.kvreactive.Kv;
import io.kvreactive.metrics.KvMetrics;
import io.kvreactive.web.internal.Site;
import io.kvreactive.web.internal.auth.Access;
import io.kvreactive.web.internal.auth.Grant;
import io.kvreactive.web.internal.database.Database;
import io.kvreactive.web.internal.http.Call;
import io.kvreactive.web.internal.http.Ends;
import io.kvreactive.web.internal.http.Lifecycle;
import io.kvreactive.web.internal.http.WebErrorCode;
import io.kvreactive.web.internal.http.WebException;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.SocketAddress;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.net.InetAddress;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * {@code /metrics} in the format of Prometheus. For callers from this machine that come by no proxy
 * it is open; others need a token that has ADMIN access, or READ access to everything.
 */
final class MetricsRoute {
  private static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";
  private static final Pattern NUMERIC = Pattern.compile("[0-9a-fA-F.:]+");

  /** The routes are mounted once on each event loop, the meters of a store once in a registry. */
  private static final Map<PrometheusMeterRegistry, Map<Kv, KvMetrics>> BOUND =
      Collections.synchronizedMap(new WeakHashMap<>());

  private final Site site;
  private final PrometheusMeterRegistry meters;
  private final Map<Kv, KvMetrics> bound;

  private MetricsRoute(Site site, PrometheusMeterRegistry meters) {
    this.site = site;
    this.meters = meters;
    this.bound = BOUND.computeIfAbsent(meters, registry -> firstTime(registry, site));
  }

  private static Map<Kv, KvMetrics> firstTime(PrometheusMeterRegistry registry, Site site) {
    Gauge.builder("kv.requests.under.way", site.lifecycle(), Lifecycle::underWay)
        .description("Requests of databases that are being answered, WebSockets left out")
        .register(registry);
    return new ConcurrentHashMap<>();
  }

  static void mount(Router router, Site site, PrometheusMeterRegistry meters) {
    MetricsRoute route = new MetricsRoute(site, meters);
    router.get("/metrics").handler(route::guard).handler(route::show);
  }

  private void guard(RoutingContext context) {
    if (site.operations().metricsPublic() || isLocal(context.request())) {
      context.next();
      return;
    }
    site.guard().admit(context);
  }

  private static boolean isLocal(HttpServerRequest request) {
    SocketAddress peer = request.remoteAddress();
    String address = peer == null ? null : peer.hostAddress();
    return address != null
        && NUMERIC.matcher(address).matches() // so that nothing is resolved
        && isLoopback(address)
        && request.getHeader("Forwarded") == null
        && request.getHeader("X-Forwarded-For") == null;
  }

  private static boolean isLoopback(String address) {
    try {
      return InetAddress.getByName(address).isLoopbackAddress();
    } catch (java.net.UnknownHostException e) {
      return false;
    }
  }

  private void show(RoutingContext context) {
    Grant grant = Call.of(context).grantIfAny();
    if (grant != null && !mayRead(grant)) {
      throw new WebException(
          WebErrorCode.FORBIDDEN,
          "token "
              + grant.name()
              + " may not see metrics (expected: ADMIN, or READ of everything)");
    }
    for (Database database : site.databases().opened()) {
      bind(database);
    }
    site.vertx()
        .executeBlocking(meters::scrape, false)
        .onComplete(
            text -> {
              context.response().putHeader("Content-Type", CONTENT_TYPE);
              Ends.with(context, text);
            },
            context::fail);
  }

  private static boolean mayRead(Grant grant) {
    boolean everything = grant.prefixes().isEmpty() && grant.databases().isEmpty();
    return everything
        && (grant.access().contains(Access.ADMIN) || grant.access().contains(Access.READ));
  }

  private void bind(Database database) {
    bound.computeIfAbsent(
        database.kv(),
        kv -> {
          KvMetrics metrics = new KvMetrics(kv, database.name());
          metrics.bindTo(meters);
          return metrics;
        });
  }
}
