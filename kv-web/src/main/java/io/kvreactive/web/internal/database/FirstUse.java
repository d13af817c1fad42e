package io.kvreactive.web.internal.database;

import io.vertx.core.http.HttpMethod;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which requests may make a database that is not there: those that put something into it or define
 * a collection there, and KV Connect's exchange of metadata, which is how its clients open one.
 * Reading what was never written, or a name with a slip in it, leaves nothing behind.
 */
public final class FirstUse {
  private static final Pattern BELOW = Pattern.compile(".*?/db/[^/]+(/.*[^/])?/?");
  private static final Set<String> MAKES =
      Set.of(
          "POST ", // metadata
          "PUT /api/v1/entry",
          "POST /api/v1/atomic",
          "POST /api/v1/enqueue",
          "POST /api/v1/import");
  private static final Pattern DEFINES = Pattern.compile("PUT /api/v1/collections/[^/]+");

  private FirstUse() {}

  /**
   * Whether a request may.
   *
   * @param path of the request, with the database's part
   */
  public static boolean makes(HttpMethod method, String path) {
    Matcher parts = BELOW.matcher(path);
    if (!parts.matches()) {
      return false;
    }
    String below = parts.group(1) == null ? "" : parts.group(1);
    String request = method.name() + " " + below;
    return MAKES.contains(request) || DEFINES.matcher(request).matches();
  }
}
