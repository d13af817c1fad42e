package io.kvreactive.web.internal.http;

import io.vertx.ext.web.RoutingContext;

/** Paths of requests as routes have them. */
public final class RoutePaths {
  private RoutePaths() {}

  /** The path without what another program's router has mounted all of these routes at. */
  public static String below(RoutingContext context) {
    String path = context.normalizedPath();
    String mount = context.mountPoint();
    if (mount == null) {
      return path;
    }
    String before = mount.endsWith("/") ? mount.substring(0, mount.length() - 1) : mount;
    return path.startsWith(before + "/") ? path.substring(before.length()) : path;
  }
}
