package io.kvreactive.web.internal.ops;

import io.kvreactive.web.internal.Site;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.ext.web.Router;

/** Health, without a token, and metrics. They are answered in every state of the server. */
public final class OpsRoutes {
  private OpsRoutes() {}

  public static void mount(Router router, Site site) {
    HealthRoutes.mount(router, site);
    PrometheusMeterRegistry meters = site.meters().registry();
    if (meters != null) {
      MetricsRoute.mount(router, site, meters);
    }
  }
}
