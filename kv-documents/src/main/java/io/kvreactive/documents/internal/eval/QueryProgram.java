package io.kvreactive.documents.internal.eval;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.internal.encoding.OrderedValue;
import io.kvreactive.documents.internal.sql.AggregateCalls;
import io.kvreactive.documents.internal.sql.ItemMembers;
import io.kvreactive.documents.internal.sql.ScoreOrderRules;
import io.kvreactive.documents.internal.sql.ast.Expr;
import io.kvreactive.documents.internal.sql.ast.Query;
import io.kvreactive.documents.internal.sql.ast.Query.OrderItem;
import io.kvreactive.documents.internal.sql.ast.Query.SelectItem;
import io.kvreactive.documents.spi.EvaluationContext;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A compiled query. A program computes the rows of one item at a time ({@link #expand}), and the
 * result of a row ({@link #project}, {@link #orderKeys}, {@link #newAggregation}).
 *
 * <p>The caller combines the rows of many items in this order: sort by {@link #order}, apply {@link
 * #isDistinct DISTINCT}, skip {@link #offset} rows, and end after {@link #limit}, as {@link
 * RowPipeline} does. Values share parts with the items and must not be changed. Immutable and
 * thread-safe; each run has its own rows.
 */
public final class QueryProgram {
  private final Query query;
  private final FromWhere rows;
  private final List<Evaluator> orderKeys;
  private final Evaluator projection;
  private final @Nullable GroupProgram groups;
  private final boolean isScored;
  private final @Nullable Set<String> members;
  private final @Nullable Set<String> rowMembers;
  private final Map<String, JsonNode> parameters;

  QueryProgram(Query query, RowSlots outer, ConstantFolding folding) {
    this.query = query;
    this.rows = new FromWhere(query, outer, folding);
    ExprCompiler compiler = new ExprCompiler(rows.slots(), folding);
    this.orderKeys =
        query.orderBy().stream().map(item -> compiler.orderKey(query, item.expr())).toList();
    this.groups =
        AggregateCalls.isAggregate(query)
            ? new GroupProgram(query, rows.slots(), outer, folding)
            : null;
    this.projection =
        groups == null ? RowProjection.of(query.select(), compiler) : groups.projection();
    this.isScored = ScoreOrderRules.isIn(query);
    this.members = ItemMembers.of(query, true);
    this.rowMembers = ItemMembers.of(query, false);
    this.parameters = Map.of();
  }

  private QueryProgram(QueryProgram open, Map<String, JsonNode> parameters) {
    this.query = open.query;
    this.rows = open.rows;
    this.orderKeys = open.orderKeys;
    this.groups = open.groups;
    this.projection = open.projection;
    this.isScored = open.isScored;
    this.members = open.members;
    this.rowMembers = open.rowMembers;
    this.parameters = parameters;
  }

  /** Returns the same query with values for its remaining parameters. */
  public QueryProgram with(Map<String, JsonNode> values) {
    return new QueryProgram(this, values);
  }

  /** Returns the parameter values set by {@link #with}, by name. */
  public Map<String, JsonNode> parameters() {
    return parameters;
  }

  /**
   * Compiles a query.
   *
   * @param bound the query bound by {@link io.kvreactive.documents.internal.sql.QueryBinder}
   */
  public static QueryProgram of(Query bound) {
    return new QueryProgram(bound, RowSlots.ITEM, new ConstantFolding());
  }

  public Query query() {
    return query;
  }

  /** Returns the names of the item members that the query reads, or null for all members. */
  public @Nullable Set<String> members() {
    return members;
  }

  /**
   * Returns the names of the item members that the query reads apart from ORDER BY, or null for all
   * members.
   */
  public @Nullable Set<String> rowMembers() {
    return rowMembers;
  }

  /** Returns true if rows come from items. Without FROM there is one row without an item. */
  public boolean hasItems() {
    return !query.from().isEmpty();
  }

  /**
   * Returns the rows of an item after FROM, JOIN and WHERE, computed lazily. Pass undefined for a
   * query without FROM. The computed properties of the item count in the budget.
   */
  public Iterator<Row> expand(JsonNode item, EvaluationContext context, Budget budget) {
    if (item instanceof ComputedDocument computing) {
      computing.countIn(budget);
    }
    return rows(item, context, budget);
  }

  /**
   * Returns the rows of an item like {@link #expand}, without a count of its computed properties:
   * for a single item.
   */
  public Iterator<Row> rows(JsonNode item, EvaluationContext context, Budget budget) {
    Execution execution = new Execution(context, budget, parameters);
    return rows.rows(new Row(new JsonNode[] {item}, null, execution), execution);
  }

  /**
   * Returns the result of SELECT for a row, or undefined if the row has no result. Not for
   * aggregate queries.
   */
  public JsonNode project(Row row) {
    return projection.value(row);
  }

  /** Returns the sort keys of a row, one for each expression of ORDER BY. */
  public OrderedValue[] orderKeys(Row row) {
    OrderedValue[] keys = new OrderedValue[orderKeys.size()];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = OrderedValue.of(orderKeys.get(i).value(row));
    }
    return keys;
  }

  /** Returns true if rows with these sort keys are left out, because they have no score. */
  public boolean isAbsent(OrderedValue[] keys) {
    return isScored && keys[0].value().isMissingNode();
  }

  public boolean isOrdered() {
    return !orderKeys.isEmpty();
  }

  /**
   * Returns the order of {@link #orderKeys}. The sort must be stable: equal rows stay in the order
   * of their items.
   */
  public Comparator<OrderedValue[]> order() {
    return OrderedValue.order(i -> query.orderBy().get(i).descending());
  }

  /** Returns true if rows are aggregated, with or without GROUP BY. */
  public boolean isAggregate() {
    return groups != null;
  }

  /** Creates the aggregation to which the rows of all items are added. */
  public Aggregation newAggregation(EvaluationContext context, Budget budget) {
    return newAggregation(null, new Execution(context, budget, parameters));
  }

  private Aggregation newAggregation(@Nullable Row outer, Execution execution) {
    if (groups == null) {
      throw new IllegalStateException("no aggregates");
    }
    return new Aggregation(groups, outer, execution);
  }

  public boolean isDistinct() {
    return query.select().distinct();
  }

  /**
   * Returns true if equal results are adjacent, because the DISTINCT values are exactly the sort
   * keys.
   */
  public boolean isDistinctInOrder() {
    List<SelectItem> items = query.select().items();
    return isDistinct()
        && groups == null
        && !items.isEmpty()
        && new HashSet<>(ColumnNames.names(items)).size() == items.size()
        && items.stream()
            .map(SelectItem::expr)
            .collect(Collectors.toSet())
            .equals(query.orderBy().stream().map(OrderItem::expr).collect(Collectors.toSet()));
  }

  /** Returns the number of rows to skip at the start. */
  public long offset() {
    return number(query.offset(), 0);
  }

  /** Returns the maximum number of rows, by TOP or LIMIT. */
  public long limit() {
    Expr limit = query.limit() == null ? query.select().top() : query.limit();
    return number(limit, Long.MAX_VALUE);
  }

  private static long number(@Nullable Expr count, long otherwise) {
    return count instanceof Expr.Constant constant ? constant.value().longValue() : otherwise;
  }

  /** Runs a subquery for one row of the outer query. */
  Iterator<JsonNode> run(Row outer, Execution execution) {
    Iterator<Row> all = rows.rows(outer, execution);
    Aggregation aggregation = isAggregate() ? newAggregation(outer, execution) : null;
    return RowPipeline.run(this, all, aggregation, execution.budget());
  }
}
