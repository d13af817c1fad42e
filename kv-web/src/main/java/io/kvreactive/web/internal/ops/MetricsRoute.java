package io.kvreactive.web.internal.ops;

import io.kvreactive.web.internal.Site;
import io.kvreactive.web.internal.auth.Grant;
import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.database.Database;
import io.kvreactive.web.internal.http.Call;
import io.kvreactive.web.internal.http.Ends;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;

/**
 * {@code /metrics} in the format of Prometheus. For callers from this machine that come by no proxy
 * it is open; others need a token that has ADMIN access, or READ access to everything.
 */
final class MetricsRoute {
  private static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

  private final Site site;
  private final PrometheusMeterRegistry registry;

  private MetricsRoute(Site site, PrometheusMeterRegistry registry) {
    this.site = site;
    this.registry = registry;
  }

  static void mount(Router router, Site site, PrometheusMeterRegistry registry) {
    MetricsRoute route = new MetricsRoute(site, registry);
    router.get(Operation.METRICS.path()).handler(route::guard).handler(route::show);
  }

  private void guard(RoutingContext context) {
    if (site.operations().metricsPublic() || site.guard().isLocal(context.request())) {
      context.next();
      return;
    }
    site.guard().admit(context);
  }

  private void show(RoutingContext context) {
    Grant grant = Call.of(context).grantIfAny(); // none for local callers
    if (grant != null) {
      Call.of(context).authorize(Operation.METRICS);
    }
    for (Database database : site.databases().opened()) {
      site.meters().bind(database, registry);
    }
    site.vertx()
        .executeBlocking(registry::scrape, false)
        .onComplete(
            text -> {
              context.response().putHeader("Content-Type", CONTENT_TYPE);
              Ends.with(context, text);
            },
            context::fail);
  }
}
