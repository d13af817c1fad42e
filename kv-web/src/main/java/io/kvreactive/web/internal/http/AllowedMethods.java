package io.kvreactive.web.internal.http;

import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.Route;
import io.vertx.ext.web.Router;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The supported methods of each path, for the response to an unsupported method. */
public final class AllowedMethods {
  /** Routes with long-running responses, which do not support HEAD. */
  private static final Set<String> STREAMS =
      Set.of("/api/v1/changes", "/api/v1/export", "/api/v1/stream");

  private record Known(Pattern path, Set<HttpMethod> methods) {}

  private final List<Known> known = new ArrayList<>();

  /** Adds HEAD to the routes that support GET, except for those with long-running responses. */
  public static void addHead(Router router) {
    for (Route route : router.getRoutes()) {
      Set<HttpMethod> methods = route.methods();
      if (methods != null
          && methods.contains(HttpMethod.GET)
          && !STREAMS.contains(String.valueOf(path(route)))) {
        route.method(HttpMethod.HEAD);
      }
    }
  }

  /**
   * Adds the routes of a router that have a path and methods.
   *
   * @param prefix a regular expression for the path of the router
   */
  public AllowedMethods with(Router router, String prefix) {
    for (Route route : router.getRoutes()) {
      String path = path(route);
      Set<HttpMethod> methods = route.methods();
      if (path != null && methods != null && !methods.isEmpty()) {
        known.add(new Known(Pattern.compile(prefix + pattern(path)), Set.copyOf(methods)));
      }
    }
    return this;
  }

  private static @Nullable String path(Route route) {
    return route.getName() == null ? route.getPath() : route.getName();
  }

  private static String pattern(String path) {
    StringBuilder pattern = new StringBuilder();
    for (String part : path.substring(1).split("/", -1)) {
      pattern.append('/').append(part.startsWith(":") ? "[^/]+" : Pattern.quote(part));
    }
    return pattern + "/?";
  }

  /**
   * Returns the supported methods of a path, separated by commas; null if there are none.
   *
   * @param path the path relative to the mount point of the routes
   */
  public @Nullable String of(String path) {
    Set<String> methods = new TreeSet<>();
    for (Known each : known) {
      if (each.path().matcher(path).matches()) {
        each.methods().forEach(method -> methods.add(method.name()));
      }
    }
    return methods.isEmpty() ? null : String.join(", ", methods);
  }
}
