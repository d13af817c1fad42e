package io.kvreactive.documents.internal.plan;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.internal.functions.VectorDistance;
import io.kvreactive.documents.internal.layout.StoredVectorIndex;
import io.kvreactive.documents.internal.path.IndexPath;
import io.kvreactive.documents.internal.sql.ScoreOrderRules;
import io.kvreactive.documents.internal.sql.ast.Expr;
import io.kvreactive.documents.internal.sql.ast.Query;
import io.kvreactive.documents.internal.store.IndexAvailability;
import io.kvreactive.documents.internal.value.Values;
import io.kvreactive.documents.internal.value.VectorMetric;
import io.kvreactive.documents.internal.value.VectorReader;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A search of a vector index for the closest items.
 *
 * @param index the index
 * @param shards the values at the shard path of the index that the condition allows; null for all
 * @param fixedBy the predicates that allow these values only
 * @param vector the vector of the query
 * @param metric the distance function
 * @param isApproximate true if candidates of the in-memory structure are enough
 * @param multiplier the number of candidates per requested item; null if the query has no option
 */
public record VectorScan(
    StoredVectorIndex index,
    @Nullable List<JsonNode> shards,
    List<Predicate> fixedBy,
    float[] vector,
    VectorMetric metric,
    boolean isApproximate,
    @Nullable Integer multiplier) {
  /** The number of candidates per requested item if the query has no option. */
  private static final int MULTIPLIER = 5;

  /** The maximum number of shards of a query that does not search all of them. */
  private static final int MAX_SHARDS = 100;

  /** The maximum number of rows; for more rows, all rows are sorted. */
  static final long MAX_ROWS = 10_000;

  /** Returns the number of candidates per requested item. */
  public int candidatesPerRow() {
    return multiplier == null ? MULTIPLIER : multiplier;
  }

  /** Returns the name of the index, such as {@code vector#3}. */
  public String name() {
    return IndexAvailability.vector(index.number());
  }

  /** Returns the scan that gives the order of a query, or null if none does. */
  static @Nullable VectorScan of(
      Query query,
      FieldScope scope,
      ConstantValues constants,
      IndexAvailability available,
      Conjunction filters) {
    boolean plain =
        ScoreOrderRules.isIn(query)
            && ScoreOrderRules.isVectorDistance(query.orderBy().get(0).expr())
            && !query.select().distinct()
            && query.itemSource() != null;
    long rows = rows(query);
    if (!plain || available.lags() || rows < 1 || rows > MAX_ROWS) {
      return null;
    }
    List<Expr> arguments = ((Expr.Call) query.orderBy().get(0).expr()).arguments();
    JsonNode[] values = new JsonNode[arguments.size()];
    IndexPath field = null;
    for (int i = 0; i < values.length; i++) {
      FieldRef found = i < 2 ? scope.field(arguments.get(i)) : null;
      JsonNode value = found == null ? constants.value(arguments.get(i)) : Values.UNDEFINED;
      if (value == null || found != null && field != null) {
        return null;
      }
      field = found == null ? field : found.exact();
      values[i] = value;
    }
    for (StoredVectorIndex index : available.vectors()) {
      if (index.path().equals(field)) {
        float[] vector = VectorReader.read(values[0].isMissingNode() ? values[1] : values[0]);
        VectorMetric metric = VectorDistance.metric(values, index.embedding());
        if (metric == null || vector == null || vector.length != index.embedding().dimensions()) {
          return null;
        }
        Predicate fixing = fixing(index, filters);
        return new VectorScan(
            index,
            fixing == null ? null : points(fixing),
            fixing == null ? List.of() : List.of(fixing),
            vector,
            metric,
            isApproximate(index, metric, values),
            multiplier(values));
      }
    }
    return null;
  }

  /** Returns the predicate that allows the fewest values at the shard path, or null for none. */
  private static @Nullable Predicate fixing(StoredVectorIndex index, Conjunction filters) {
    IndexPath path = index.shardPath();
    Predicate found = null;
    for (Predicate predicate : path == null ? List.<Predicate>of() : filters.on(path, 0)) {
      int size = predicate.ranges().size();
      boolean isFixing =
          size <= MAX_SHARDS
              && predicate.ranges().stream().allMatch(ValueRange.Point.class::isInstance);
      if (isFixing && (found == null || size < found.ranges().size())) {
        found = predicate;
      }
    }
    return found;
  }

  private static List<JsonNode> points(Predicate predicate) {
    return predicate.ranges().stream().map(range -> ((ValueRange.Point) range).value()).toList();
  }

  /** Returns the shards to search, without duplicates; null for all. */
  public long @Nullable [] shardNumbers() {
    List<JsonNode> values = shards;
    return values == null
        ? null
        : values.stream().mapToLong(StoredVectorIndex::shard).distinct().toArray();
  }

  /** Returns this scan with other values of the shards. */
  VectorScan withShards(@Nullable List<JsonNode> values) {
    return new VectorScan(index, values, fixedBy, vector, metric, isApproximate, multiplier);
  }

  /** Returns true if the structure, which has one distance function, may answer. */
  private static boolean isApproximate(
      StoredVectorIndex index, VectorMetric metric, JsonNode[] arguments) {
    return index.isApproximate()
        && metric.text().equals(index.embedding().distanceFunction())
        && !(arguments.length > 2 && arguments[2].booleanValue());
  }

  /** Returns the number of candidates per requested item that the query asks for, or null. */
  private static @Nullable Integer multiplier(JsonNode[] arguments) {
    JsonNode option =
        arguments.length < 4 ? Values.UNDEFINED : arguments[3].path("searchListSizeMultiplier");
    return option.isNumber() ? option.intValue() : null;
  }

  /** Returns the number of rows up to the last of the answer, or 0 if it has no limit. */
  private static long rows(Query query) {
    Expr limit = query.limit() == null ? query.select().top() : query.limit();
    long offset =
        query.offset() instanceof Expr.Constant constant ? constant.value().longValue() : 0;
    return limit instanceof Expr.Constant constant ? offset + constant.value().longValue() : 0;
  }
}
