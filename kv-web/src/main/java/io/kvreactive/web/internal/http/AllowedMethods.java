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

/** Which methods a path has: for the answer to one that it has not. */
public final class AllowedMethods {
  /** Those that may go on for long: nobody wants them for their headers. */
  private static final Set<String> STREAMS =
      Set.of("/api/v1/changes", "/api/v1/export", "/api/v1/stream");

  private record Known(Pattern path, Set<HttpMethod> methods) {}

  private final List<Known> known = new ArrayList<>();

  /** Has what can be read with GET also tell its headers alone, with HEAD. */
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
   * Takes down the routes of a router that have a path and methods.
   *
   * @param prefix a regular expression for what comes before
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
   * The methods of a path, with commas between them; null when it has none.
   *
   * @param path below where the routes are mounted
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
