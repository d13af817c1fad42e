package io.kvreactive.web.internal.rest;

import io.kvreactive.web.internal.Site;
import io.vertx.ext.web.Router;

/** The routes of this package. */
public final class RestRoutes {
  private RestRoutes() {}

  /** Mounts them below a database's path. */
  public static void mount(Router router, Site site) {
    Routes routes = new Routes(router, site.intake(), site.options().maxBodyBytes());
    EntryRoutes.mount(routes);
    EntriesRoutes.mount(routes);
    TreeRoutes.mount(routes);
    AtomicRoutes.mount(routes);
    QueueRoutes.mount(routes, site);
    InfoRoutes.mount(routes, site);
    AdminRoutes.mount(routes, site);
    ImportRoutes.mount(routes);
  }
}
