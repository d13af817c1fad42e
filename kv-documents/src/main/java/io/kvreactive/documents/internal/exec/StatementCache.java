package io.kvreactive.documents.internal.exec;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.documents.internal.collection.DocumentType;
import io.kvreactive.documents.internal.eval.MemoryEstimator;
import io.kvreactive.documents.internal.sql.Sql;
import io.kvreactive.documents.internal.sql.ast.Query;
import io.kvreactive.documents.internal.value.Json;
import io.kvreactive.documents.internal.value.Values;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Caches compiled statements with their plans, for all collections of a store. Statements whose
 * plan does not depend on parameter values are cached by text, all others by text and parameters.
 * Thread-safe.
 *
 * <p>The weight of an entry is the length of its text and the estimated memory of its parameters. A
 * compiled statement takes up to 56 bytes for each character (conjunctions of 60 comparisons,
 * measured). Both parts of the cache together take at most a seventeenth of the heap, or 15 MiB if
 * that is more; the statements in front of it, 4 MiB.
 */
public final class StatementCache {
  /** Maximum weight of an entry; heavier statements are compiled each time. */
  private static final int MAX_WEIGHT = 16 * 1024;

  /** Weight of an entry in addition to its text and parameters, in characters. */
  private static final int OVERHEAD = 256;

  private static final long MIN_CAPACITY = 128 * 1024;
  private static final int HEAP_SHARE = 2048;

  /** Number of statements in front of the cache; a power of two. */
  private static final int RECENT = 64;

  /** Maximum length of those, in characters. */
  private static final int MAX_RECENT = 1024;

  private final Cache<Key, Statement> texts;
  private final Cache<Key, PreparedQuery> prepared;

  /**
   * Statements by hash, in front of the cache. The cache records each use in memory that all
   * threads write, so that a thread waits for the writes of others. (Measured: 2 % of a point
   * query.)
   */
  private final AtomicReferenceArray<@Nullable Recent> recent = new AtomicReferenceArray<>(RECENT);

  private record Statement(Query parsed, @Nullable PlanTemplate template) {
    static Statement of(String text) {
      Query parsed = Sql.parse(text);
      return new Statement(parsed, PlanTemplate.of(parsed));
    }
  }

  private record Recent(String collection, String text, Statement statement) {}

  /** The key of an entry; plans depend on the collection. */
  private record Key(String collection, String text, Map<String, JsonNode> parameters) {
    int weight() {
      return (int)
          Math.min(MAX_WEIGHT + 1, OVERHEAD + text.length() + StatementCache.weight(parameters));
    }
  }

  public StatementCache() {
    this.texts = cache();
    this.prepared = cache();
  }

  private static <V> Cache<Key, V> cache() {
    return Caffeine.newBuilder()
        .maximumWeight(Math.max(MIN_CAPACITY, Runtime.getRuntime().maxMemory() / HEAP_SHARE))
        .weigher((Key key, V value) -> key.weight())
        .executor(Runnable::run)
        .build();
  }

  /**
   * Returns the prepared query, compiling it if necessary.
   *
   * @throws io.kvreactive.documents.QueryException INVALID_QUERY, LIMIT_EXCEEDED
   */
  PreparedQuery prepare(String collection, SqlQuery query) {
    return prepare(collection, query, true);
  }

  /** Returns a query with its parameter values in place, to be explained or watched. */
  PreparedQuery explicit(String collection, SqlQuery query) {
    return prepare(collection, query, false);
  }

  private PreparedQuery prepare(String collection, SqlQuery query, boolean mayBeOpen) {
    Map<String, JsonNode> parameters = parameters(query);
    Statement statement = statement(collection, query.text());
    PlanTemplate template = statement.template();
    PreparedQuery open = mayBeOpen && template != null ? template.prepare(parameters) : null;
    return open != null
        ? open
        : cached(
            prepared,
            new Key(collection, query.text(), parameters),
            key -> new PreparedQuery(statement.parsed(), key.parameters()));
  }

  private Statement statement(String collection, String text) {
    int slot = text.hashCode() & RECENT - 1;
    Recent last = recent.get(slot);
    if (last != null && last.collection.equals(collection) && last.text.equals(text)) {
      return last.statement;
    }
    Statement statement =
        cached(texts, new Key(collection, text, Map.of()), key -> Statement.of(key.text()));
    if (text.length() <= MAX_RECENT) {
      recent.set(slot, new Recent(collection, text, statement));
    }
    return statement;
  }

  private static <V> V cached(Cache<Key, V> cache, Key key, Function<Key, V> compile) {
    if (key.weight() > MAX_WEIGHT) {
      return compile.apply(key); // never in the cache, and slow to hash
    }
    V known = cache.getIfPresent(key);
    if (known != null) {
      return known;
    }
    // outside of the cache's locks: compiling may take milliseconds
    V compiled = compile.apply(key);
    cache.put(key, compiled);
    return compiled;
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
    JsonNode vector = value instanceof float[] elements ? vector(elements) : null;
    if (vector != null) {
      return vector;
    }
    try {
      JsonNode tree = DocumentType.tree(value, DocumentErrorCode.INVALID_ARGUMENT);
      boolean plain = tree.isTextual() || tree.isNumber() || tree.isBoolean() || tree.isNull();
      JsonNode numbers = plain ? null : numbers(tree);
      // byte arrays and similar types are converted as when an item is written
      return plain ? tree : numbers != null ? numbers : Json.parse(Json.write(tree));
    } catch (DocumentException e) {
      if (e.code() == DocumentErrorCode.QUERY_BUDGET_EXCEEDED) {
        throw e;
      }
      throw new DocumentException(
          DocumentErrorCode.INVALID_ARGUMENT, "parameter @" + name + ": " + e.detail(), e);
    }
  }

  /** Returns the elements of a vector as an array, or null if one is not finite. */
  private static @Nullable JsonNode vector(float[] vector) {
    ArrayNode numbers = JsonNodeFactory.instance.arrayNode(vector.length);
    for (float element : vector) {
      if (!Float.isFinite(element)) {
        return null;
      }
      numbers.add((double) element);
    }
    return numbers;
  }

  /**
   * Returns a copy of an array of numbers such as a vector, equal to the result of writing and
   * reading the array; null for other values.
   */
  private static @Nullable JsonNode numbers(JsonNode tree) {
    if (!tree.isArray()) {
      return null;
    }
    ArrayNode numbers = JsonNodeFactory.instance.arrayNode(tree.size());
    for (JsonNode element : tree) {
      boolean isFloating = element.isFloat() || element.isDouble();
      if (isFloating && Double.isFinite(element.doubleValue())) {
        numbers.add(element.doubleValue());
      } else if (element.isInt() || element.isLong()) {
        numbers.add(Values.number(element.longValue()));
      } else {
        return null;
      }
    }
    return numbers;
  }

  private static long weight(Map<String, JsonNode> parameters) {
    return parameters.values().stream().mapToLong(MemoryEstimator::of).sum();
  }
}
