package io.kvreactive.index.internal.exec;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.index.IndexErrorCode;
import io.kvreactive.index.IndexException;
import io.kvreactive.index.SqlQuery;
import io.kvreactive.index.internal.collection.DocumentType;
import io.kvreactive.index.internal.eval.Weights;
import io.kvreactive.index.internal.sql.Sql;
import io.kvreactive.index.internal.sql.ast.Query;
import io.kvreactive.index.internal.value.Json;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Queries that were compiled lately; the same text, and the same parameters, are not compiled
 * again.
 */
final class Statements {
  private static final int TEXTS = 256;
  private static final int PREPARED = 256;

  /** Longer texts are not remembered: a few would fill the memory. */
  private static final int MAX_TEXT = 16 * 1024;

  private final Lru<String, Statement> texts = new Lru<>(TEXTS);
  private final Lru<Key, Prepared> prepared = new Lru<>(PREPARED);

  private record Statement(Query parsed, @Nullable Shape shape) {
    static Statement of(String text) {
      Query parsed = Sql.parse(text);
      return new Statement(parsed, Shape.of(parsed));
    }
  }

  private record Key(String text, Map<String, JsonNode> parameters) {}

  /**
   * @throws io.kvreactive.index.QueryException INVALID_QUERY, LIMIT_EXCEEDED
   */
  Prepared prepare(SqlQuery query) {
    return prepare(query, true);
  }

  /** With the values of parameters in the query, for whoever looks at it. */
  Prepared explicit(SqlQuery query) {
    return prepare(query, false);
  }

  private Prepared prepare(SqlQuery query, boolean mayBeOpen) {
    Map<String, JsonNode> parameters = parameters(query);
    String text = query.text();
    Statement statement =
        text.length() <= MAX_TEXT ? texts.get(text, Statement::of) : Statement.of(text);
    Shape shape = statement.shape();
    Prepared open = mayBeOpen && shape != null ? shape.prepare(parameters) : null;
    if (open != null) {
      return open;
    }
    return text.length() <= MAX_TEXT && weight(parameters) <= MAX_TEXT
        ? prepared.get(
            new Key(text, parameters), key -> new Prepared(statement.parsed(), key.parameters()))
        : new Prepared(statement.parsed(), parameters);
  }

  private static Map<String, JsonNode> parameters(SqlQuery query) {
    Map<String, JsonNode> values = new LinkedHashMap<>();
    query
        .parameters()
        .forEach(
            (name, value) -> {
              String bare = name.startsWith("@") ? name.substring(1) : name;
              values.put(bare, value(bare, value));
            });
    return values;
  }

  private static JsonNode value(String name, @Nullable Object value) {
    try {
      JsonNode tree = DocumentType.tree(value, IndexErrorCode.INVALID_ARGUMENT);
      boolean plain = tree.isTextual() || tree.isNumber() || tree.isBoolean() || tree.isNull();
      // bytes and the like are what they are when they are written
      return plain ? tree : Json.parse(Json.write(tree));
    } catch (IndexException e) {
      throw new IndexException(
          IndexErrorCode.INVALID_ARGUMENT, "parameter @" + name + ": " + e.getMessage(), e);
    }
  }

  private static long weight(Map<String, JsonNode> parameters) {
    return parameters.values().stream().mapToLong(Weights::of).sum();
  }

  /** The entries that were used last. */
  private static final class Lru<K, V> {
    private final Map<K, V> entries;

    Lru(int most) {
      this.entries =
          new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
              return size() > most;
            }
          };
    }

    V get(K key, Function<K, V> make) {
      synchronized (entries) {
        V known = entries.get(key);
        if (known != null) {
          return known;
        }
      }
      V made = make.apply(key);
      synchronized (entries) {
        entries.put(key, made);
      }
      return made;
    }
  }
}
