package io.kvreactive.web.internal.database;

import io.kvreactive.web.internal.auth.Operation;
import io.vertx.core.http.HttpMethod;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which requests may make a database that is not there: those that put something into it or define
 * a collection there, and KV Connect's exchange of metadata, which is how its clients open one.
 * Reading what was never written, or a name with a slip in it, leaves nothing behind.
 */
public final class DatabaseCreation {
  private static final Pattern BELOW = Pattern.compile(".*?/db/[^/]+(/.*[^/])?/?");

  private DatabaseCreation() {}

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
    return Operation.createsDatabase(method.name(), below);
  }
}
