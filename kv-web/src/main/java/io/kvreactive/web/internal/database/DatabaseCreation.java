package io.kvreactive.web.internal.database;

import io.kvreactive.web.internal.auth.Operation;
import io.vertx.core.http.HttpMethod;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Decides which requests may create a database that does not exist: writes, definitions of
 * collections, and KV Connect's metadata exchange, by which its clients open a database. Reads of a
 * database that was never written, or of a misspelt name, create nothing.
 */
public final class DatabaseCreation {
  private static final Pattern BELOW = Pattern.compile(".*?/db/[^/]+(/.*[^/])?/?");

  private DatabaseCreation() {}

  /**
   * Returns true if a request may create its database.
   *
   * @param path the path of the request, including {@code /db/NAME}
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
