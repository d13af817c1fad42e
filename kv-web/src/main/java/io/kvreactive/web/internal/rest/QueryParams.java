package io.kvreactive.web.internal.rest;

import io.kvreactive.KvKey;
import io.kvreactive.json.KvJson;
import io.vertx.core.MultiMap;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the query parameters of a request. Repeated and unknown parameters are rejected. All
 * methods throw WebException BAD_REQUEST or KvException for invalid parameters.
 */
public final class QueryParams {
  private final MultiMap parameters;

  private QueryParams(MultiMap parameters) {
    this.parameters = parameters;
  }

  /**
   * Returns a reader of the parameters.
   *
   * @param known the names of all parameters
   * @throws io.kvreactive.web.WebException BAD_REQUEST
   */
  public static QueryParams of(RoutingContext context, String... known) {
    MultiMap parameters = context.queryParams();
    List<String> names = List.of(known);
    for (String name : parameters.names()) {
      if (!names.contains(name)) {
        throw StrictJson.bad(
            "query parameter \"%s\" (expected: %s)"
                .formatted(
                    StrictJson.excerpt(name),
                    names.isEmpty() ? "none" : "one of " + String.join(", ", names)));
      }
      if (parameters.getAll(name).size() > 1) {
        throw StrictJson.bad("query parameter " + name + ": more than once (expected: once)");
      }
    }
    return new QueryParams(parameters);
  }

  /** Returns a parameter as it was sent; null if it is missing. */
  public @Nullable String text(String name) {
    return parameters.get(name);
  }

  public boolean has(String name) {
    return parameters.contains(name);
  }

  /** Returns a required parameter. */
  public String required(String name) {
    String text = text(name);
    if (text == null) {
      throw StrictJson.bad("query parameter " + name + " is missing");
    }
    return text;
  }

  /** Returns a boolean: true for {@code true} or no value; false if the parameter is missing. */
  public boolean flag(String name) {
    String text = text(name);
    if (text == null || text.equals("false")) {
      return false;
    }
    if (text.isEmpty() || text.equals("true")) {
      return true;
    }
    throw StrictJson.bad(
        "%s: \"%s\" (expected: true or false)".formatted(name, StrictJson.excerpt(text)));
  }

  /**
   * Returns a whole number from {@code least} to {@code most}, or {@code otherwise} if it is
   * missing.
   */
  public long whole(String name, long otherwise, long least, long most) {
    String text = text(name);
    return text == null ? otherwise : whole(name, text, least, most);
  }

  private static long whole(String name, String text, long least, long most) {
    try {
      long number = Long.parseLong(text);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // reported below
    }
    throw StrictJson.bad(
        "%s: \"%s\" (expected: a whole number, %d..%d)"
            .formatted(name, StrictJson.excerpt(text), least, most));
  }

  /** Returns a key; null if it is missing. */
  public @Nullable KvKey key(String name) {
    String text = text(name);
    return text == null ? null : KvJson.keyOf(StrictJson.parse(name, text));
  }

  /** Returns a required key. */
  public KvKey requiredKey(String name) {
    return KvJson.keyOf(StrictJson.parse(name, required(name)));
  }

  /** Returns a required key to be read or deleted. The key may be malformed. */
  public KvKey requiredStoredKey(String name) {
    return KvJson.storedKeyOf(StrictJson.parse(name, required(name)));
  }

  /** Returns a bound of a range; null if it is missing. A bound may be any bytes. */
  @Nullable KvKey bound(String name) {
    String text = text(name);
    return text == null ? null : KvJson.storedKeyOf(StrictJson.parse(name, text));
  }
}
