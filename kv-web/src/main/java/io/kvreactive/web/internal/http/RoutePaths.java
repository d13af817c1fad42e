package io.kvreactive.web.internal.http;

import io.vertx.ext.web.RoutingContext;

/** Paths of requests relative to the routes. */
public final class RoutePaths {
  private RoutePaths() {}

  /**
   * Returns the path relative to the point at which another program's router has mounted the
   * routes; empty for that point itself without a slash at the end.
   */
  public static String below(RoutingContext context) {
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
}
