package io.kvreactive.documents;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A query with its parameters and options.
 *
 * @param text the text in the language of {@code docs/query.md}; at most 512 KiB
 * @param parameters the values by name, with or without {@code @}, of any type that Jackson can
 *     write
 * @param options the options of the query
 */
public record SqlQuery(
    String text, Map<String, @Nullable Object> parameters, QueryOptions options) {
  public SqlQuery {
    parameters = Collections.unmodifiableMap(new LinkedHashMap<>(parameters));
  }

  /** Returns a query without parameters. */
  public static SqlQuery of(String text) {
    return new SqlQuery(text, Map.of(), QueryOptions.DEFAULT);
  }

  /** Returns a query with parameters. */
  public static SqlQuery of(String text, Map<String, ? extends @Nullable Object> parameters) {
    return new SqlQuery(text, Collections.unmodifiableMap(parameters), QueryOptions.DEFAULT);
  }

  /** Returns this query with an additional parameter. */
  public SqlQuery with(String name, @Nullable Object value) {
    Map<String, @Nullable Object> more = new LinkedHashMap<>(parameters);
    more.put(name, value);
    return new SqlQuery(text, more, options);
  }

  /** Returns this query with other options. */
  public SqlQuery withOptions(QueryOptions options) {
    return new SqlQuery(text, parameters, options);
  }
}
