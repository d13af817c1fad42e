package io.kvreactive.index;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A query with its parameters and options.
 *
 * @param text in the language of {@code docs/query.md}; at most 512 KiB
 * @param parameters values by name, with or without {@code @}: what Jackson can write
 * @param options how to run it
 */
public record SqlQuery(
    String text, Map<String, @Nullable Object> parameters, QueryOptions options) {
  public SqlQuery {
    parameters = Collections.unmodifiableMap(new LinkedHashMap<>(parameters));
  }

  /** Without parameters. */
  public static SqlQuery of(String text) {
    return new SqlQuery(text, Map.of(), QueryOptions.DEFAULT);
  }

  /** With parameters. */
  public static SqlQuery of(String text, Map<String, ? extends @Nullable Object> parameters) {
    return new SqlQuery(text, new LinkedHashMap<>(parameters), QueryOptions.DEFAULT);
  }

  /** With a parameter more. */
  public SqlQuery with(String name, @Nullable Object value) {
    Map<String, @Nullable Object> more = new LinkedHashMap<>(parameters);
    more.put(name, value);
    return new SqlQuery(text, more, options);
  }

  /** With those options. */
  public SqlQuery withOptions(QueryOptions options) {
    return new SqlQuery(text, parameters, options);
  }
}
