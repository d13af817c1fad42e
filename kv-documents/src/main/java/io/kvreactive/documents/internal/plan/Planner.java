package io.kvreactive.documents.internal.plan;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.IndexingMode;
import io.kvreactive.documents.QueryException;
import io.kvreactive.documents.QueryOptions.PlannerMode;
import io.kvreactive.documents.internal.layout.CompositeComponent;
import io.kvreactive.documents.internal.layout.CompositeIndex;
import io.kvreactive.documents.internal.path.IndexPath;
import io.kvreactive.documents.internal.plan.CompositeRules.Verdict;
import io.kvreactive.documents.internal.plan.Plan.IndexRejection;
import io.kvreactive.documents.internal.plan.Plan.OrderTerm;
import io.kvreactive.documents.internal.policy.PolicyRules;
import io.kvreactive.documents.internal.sql.AggregateCalls;
import io.kvreactive.documents.internal.sql.ast.Expr;
import io.kvreactive.documents.internal.sql.ast.Query;
import io.kvreactive.documents.internal.sql.ast.Span;
import io.kvreactive.documents.internal.store.IndexAvailability;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Decides which indexes serve a query. Reads nothing: equal inputs give equal plans. */
public final class Planner {
  /** Error message of Azure Cosmos DB for a missing composite index. */
  public static final String NO_COMPOSITE =
      "The order by query does not have a corresponding composite index that it can be served"
          + " from.";

  /** Error message of Azure Cosmos DB for an excluded ORDER BY path. */
  public static final String EXCLUDED =
      "The index path corresponding to the specified order-by item is excluded.";

  private static final String NO_INDEXES =
      " The indexing mode is none: the collection has no indexes.";
  private static final String NOT_COMPLETE = " is in the indexing policy and not complete yet.";

  private final Query query;
  private final IndexAvailability available;
  private final PlannerMode mode;
  private final boolean forceScan;
  private final FieldScope scope;
  private final ConditionBuilder conditions;
  private final ConstantValues constants;
  private final Condition condition;
  private final Conjunction filters;
  private final List<OrderTerm> ordering;
  private final boolean isPlaced;
  private final AccessChooser chooser;
  private final @Nullable Set<IndexPath> distinct; // null: not DISTINCT of fields only

  private Planner(
      Query query,
      Map<String, JsonNode> parameters,
      IndexAvailability available,
      PlannerMode mode,
      boolean forceScan) {
    this.query = query;
    this.available = available;
    this.mode = mode;
    this.forceScan = forceScan || available.mode() == IndexingMode.NONE;
    this.scope = FieldScope.of(query);
    this.constants = new ConstantValues(parameters);
    this.conditions = new ConditionBuilder(constants);
    this.condition = conditions.of(query.where(), scope);
    this.filters = Conjunction.of(condition);
    this.ordering = new ArrayList<>();
    for (Query.OrderItem item : query.orderBy()) {
      FieldRef field = scope.field(item.expr());
      if (field != null) {
        ordering.add(new OrderTerm(field, item.descending()));
      }
    }
    this.isPlaced = ordering.size() == query.orderBy().size();
    this.chooser = new AccessChooser(available, mode == PlannerMode.EXTENDED);
    this.distinct = available.lags() || !isPlaced ? null : DistinctFields.of(query, scope);
  }

  /**
   * Returns the plan of a query.
   *
   * @param query the bound query, with negations at the leaves
   * @param parameters the parameters that are still unbound, by their names without {@code @}
   * @param forceScan true if all items must be read
   * @throws QueryException ORDER_NOT_INDEXED if no index serves the order
   */
  public static Plan plan(
      Query query,
      Map<String, JsonNode> parameters,
      IndexAvailability available,
      PlannerMode mode,
      boolean forceScan) {
    return new Planner(query, parameters, available, mode, forceScan).plan();
  }

  private Plan plan() {
    if (ordering.isEmpty() || !isPlaced) {
      return forceScan ? scan() : unordered();
    }
    return ordering.size() == 1 ? byOne(ordering.get(0)) : byMany();
  }

  private Plan scan() {
    AccessPath filter =
        condition instanceof Condition.Never ? new AccessPath.Empty() : new AccessPath.FullScan();
    return plan(filter, null, false, List.of());
  }

  // ---- no ORDER BY

  private Plan unordered() {
    List<IndexRejection> rejected = new ArrayList<>();
    AccessPath access = aggregated(rejected);
    if (access == null) {
      access = chooser.choose(condition, true);
    }
    if (distinct != null && access instanceof AccessPath.FullScan) {
      access = ofEachValue(distinct);
    }
    if (access instanceof AccessPath.Scan scan && isOfDistinct(scan.index())) {
      return plan(access, null, true, null, true, distinct == null ? 0 : distinct.size(), rejected);
    }
    Set<IndexPath> looked =
        AggregateCalls.isAggregate(query) ? IndexCoverage.of(query, scope) : null;
    boolean isTold = looked != null && !available.lags(); // entries tell what items have
    if (looked != null && isTold && access instanceof AccessPath.FullScan) {
      access = query.groupBy().isEmpty() ? coveringAll(looked) : grouping(looked);
    }
    boolean covered =
        looked != null
            && (looked.isEmpty() && (isTold || access instanceof AccessPath.FullScan)
                || isTold
                    && access instanceof AccessPath.Scan scan
                    && IndexCoverage.covers(scan.index(), looked));
    MinMaxScan ends =
        covered && access instanceof AccessPath.Scan scan && isWhole(scan)
            ? MinMaxScan.of(AggregateCalls.of(query))
            : null;
    int prefix = covered && access instanceof AccessPath.Scan scan ? groupPrefix(scan) : 0;
    return plan(access, null, covered, ends, false, prefix, rejected);
  }

  /** Returns the fields of GROUP BY, or null if there are none, or other expressions. */
  private @Nullable Set<IndexPath> groupFields() {
    Set<IndexPath> fields = new LinkedHashSet<>();
    for (Expr expr : query.groupBy()) {
      FieldRef field = scope.field(expr);
      if (field == null || !field.isSingle() || field.path().size() == 0) {
        return null;
      }
      fields.add(field.exact());
    }
    return fields.isEmpty() ? null : fields;
  }

  /**
   * Returns the scan of an index that has all values that a query with GROUP BY reads, for all
   * items; if possible, of one in which the entries of a group are adjacent.
   */
  private AccessPath grouping(Set<IndexPath> looked) {
    AccessPath found =
        looked.size() == 1 ? ofEveryItem(looked.iterator().next()) : new AccessPath.FullScan();
    for (CompositeIndex index : available.composites()) {
      IndexRef.Composite composite = new IndexRef.Composite(index);
      if (IndexCoverage.covers(composite, looked)) {
        AccessPath.Scan scan = whole(composite);
        if (groupPrefix(scan) > 0) {
          return scan;
        }
        found = found instanceof AccessPath.FullScan ? scan : found;
      }
    }
    return found;
  }

  /**
   * Returns the number of the first values of an entry that make a group, if the entries of each
   * group are adjacent in a scan; otherwise 0.
   */
  private int groupPrefix(AccessPath.Scan scan) {
    Set<IndexPath> fields = groupFields();
    if (fields == null) {
      return 0;
    }
    List<IndexPath> paths = paths(scan.index());
    int equal = scan.equal().size();
    Set<IndexPath> left = new LinkedHashSet<>(fields);
    paths.subList(0, Math.min(equal, paths.size())).forEach(left::remove);
    int prefix = equal + left.size();
    return !left.isEmpty()
            && prefix <= paths.size()
            && left.equals(Set.copyOf(paths.subList(equal, prefix)))
        ? prefix
        : 0;
  }

  private static List<IndexPath> paths(IndexRef index) {
    if (index instanceof IndexRef.Composite composite) {
      return composite.index().components().stream().map(CompositeComponent::path).toList();
    }
    return index instanceof IndexRef.Range range ? List.of(range.path()) : List.of();
  }

  private static AccessPath.Scan whole(IndexRef.Composite index) {
    return new AccessPath.Scan(index, List.of(), AccessClass.FULL_INDEX_SCAN);
  }

  /** Returns the access path to the entries of all values of some paths, if an index has them. */
  private AccessPath ofEachValue(Set<IndexPath> paths) {
    AccessPath access =
        paths.size() == 1 ? ofEachValue(paths.iterator().next()) : new AccessPath.FullScan();
    if (access instanceof AccessPath.FullScan) {
      for (CompositeIndex index : available.composites()) {
        IndexRef.Composite composite = new IndexRef.Composite(index);
        if (isOfDistinct(composite)) {
          return whole(composite);
        }
      }
    }
    return access;
  }

  /** Returns the access path to the entries of all values of a path, if the index has them all. */
  private AccessPath ofEachValue(IndexPath path) {
    if (query.select().kind() == Query.SelectKind.VALUE && isWholeUsable(path)) {
      return whole(path, ValueRange.DEFINED, AccessClass.FULL_INDEX_SCAN); // undefined gives no row
    }
    return ofEveryItem(path);
  }

  /** Returns the access path to the entries of all items, if each has one for its value. */
  private AccessPath ofEveryItem(IndexPath path) {
    return available.rangeUsable(path) && available.explicit(path)
        ? whole(path, ValueRange.ANYTHING, AccessClass.FULL_INDEX_SCAN)
        : new AccessPath.FullScan();
  }

  /** Returns true if one of the entries with the same value is enough, for conditions too. */
  private boolean isOfDistinct(IndexRef index) {
    return distinct != null
        && index.isSingle()
        && paths(index).size() >= distinct.size()
        && Set.copyOf(paths(index).subList(0, distinct.size())).equals(distinct);
  }

  /** Returns true if a scan is of all values of one path, and so serves no condition. */
  private static boolean isWhole(AccessPath.Scan scan) {
    return scan.index() instanceof IndexRef.Range && scan.predicates().isEmpty();
  }

  /**
   * Returns the scan of all values of the only field that aggregates read; items without a value do
   * not matter.
   */
  private AccessPath coveringAll(Set<IndexPath> looked) {
    if (looked.size() != 1 || !query.groupBy().isEmpty() || query.where() != null) {
      return new AccessPath.FullScan();
    }
    IndexPath path = looked.iterator().next();
    for (Expr.Call aggregate : AggregateCalls.of(query)) {
      FieldRef field = aggregated(aggregate);
      if (field == null || !field.exact().equals(path)) { // items without a value may matter
        return ofEveryItem(path);
      }
    }
    return isWholeUsable(path)
        ? whole(
            path,
            ValueRange.DEFINED,
            MinMaxScan.of(AggregateCalls.of(query)) == null
                ? AccessClass.FULL_INDEX_SCAN
                : AccessClass.INDEX_SEEK)
        : new AccessPath.FullScan();
  }

  /** Returns the field that an aggregate reads, or null if it reads another expression. */
  private @Nullable FieldRef aggregated(Expr.Call aggregate) {
    return aggregate.arguments().size() == 1 ? scope.field(aggregate.arguments().get(0)) : null;
  }

  /** Returns true if every item with any value at the path has an entry. */
  private boolean isWholeUsable(IndexPath path) {
    return available.rangeUsable(path) && available.containerUsable(path);
  }

  /** Returns a scan of all values of a path. */
  private static AccessPath.Scan whole(IndexPath path, ValueRange values, AccessClass accessClass) {
    return new AccessPath.Scan(new IndexRef.Range(path), List.of(values), accessClass);
  }

  /**
   * Applies R4. Returns null if the query is no such aggregate, or no composite index serves it.
   */
  private AccessPath.@Nullable Scan aggregated(List<IndexRejection> rejected) {
    IndexPath path = null;
    for (Expr.Call aggregate : AggregateCalls.of(query)) {
      if (aggregate.name().equals("SUM") || aggregate.name().equals("AVG")) {
        FieldRef field = aggregated(aggregate);
        if (field == null || path != null && !path.equals(field.exact())) {
          return null;
        }
        path = field.exact();
      }
    }
    if (path == null || !query.groupBy().isEmpty()) {
      return null;
    }
    AccessPath.Scan found = null;
    for (CompositeIndex index : available.composites()) {
      Verdict verdict = CompositeRules.aggregate(index, filters, path);
      if (verdict.scan() == null) {
        rejected.add(rejection(index, verdict));
      } else if (found == null) {
        found = verdict.scan();
      }
    }
    return found;
  }

  // ---- ORDER BY one property

  private Plan byOne(OrderTerm by) {
    IndexPath path = by.field().path();
    if (path.size() > 0 && !available.rangeUsable(path)) {
      throw excluded(by.field());
    }
    boolean strict = mode == PlannerMode.STRICT;
    if (forceScan || path.size() == 0 || !by.field().isSingle()) {
      AccessPath filter = forceScan ? scan().filter() : chooser.choose(condition, !strict);
      return plan(filter, null, false, List.of());
    }
    if (!strict) {
      OrderScan composite = extendedOrder(by);
      if (composite != null) {
        return plan(chooser.choose(condition, true), composite, false, List.of());
      }
    }
    AccessPath.Scan own = own(path);
    boolean whole = available.containerUsable(path);
    OrderScan.Missing missing =
        own != null
            ? OrderScan.Missing.NONE
            : whole
                ? available.explicit(path) ? OrderScan.Missing.NONE : OrderScan.Missing.UNDEFINED
                : available.explicit(path) ? OrderScan.Missing.CONTAINERS : OrderScan.Missing.BOTH;
    IndexRef index = new IndexRef.Range(path);
    OrderScan order = OrderScan.of(index, own, by.descending(), missing);
    AccessPath filter =
        own == null
            ? chooser.choose(condition, !strict)
            : chooser.choose(without(own.predicates()), !strict);
    boolean skips = filter instanceof AccessPath.FullScan && isOfDistinct(index);
    boolean isOfDefined =
        skips && whole && query.select().kind() == Query.SelectKind.VALUE; // undefined gives no row
    return plan(
        filter,
        isOfDefined ? order.ofDefined() : order,
        skips,
        null,
        skips,
        skips ? 1 : 0,
        List.of());
  }

  /** Returns the scan of the condition on the ordered field, whose range is in order. */
  private AccessPath.@Nullable Scan own(IndexPath path) {
    for (Predicate predicate : filters.on(path, 0)) {
      if (!predicate.containers() || available.containerUsable(path)) {
        AccessPath.Scan scan = chooser.scan(predicate);
        Conjunction.OneRange range = filters.range(path, 0);
        return scan != null && range != null && range.predicates().contains(predicate)
            ? scan.joined(range)
            : scan;
      }
    }
    return null;
  }

  private Conjunction without(List<Predicate> served) {
    List<Predicate> left = new ArrayList<>(filters.predicates());
    left.removeAll(Set.copyOf(served));
    return new Conjunction(left, filters.others());
  }

  /** Returns a composite index with equality on the first paths, followed by the ordered path. */
  private @Nullable OrderScan extendedOrder(OrderTerm by) {
    for (CompositeIndex index : available.composites()) {
      if (index.hasElements()) {
        continue;
      }
      List<JsonNode> equal = new ArrayList<>();
      List<Predicate> used = new ArrayList<>();
      for (var component : index.components()) {
        Predicate equality = filters.equal(component.path(), 0);
        if (component.path().equals(by.field().exact()) && !equal.isEmpty()) {
          return new OrderScan(
              new IndexRef.Composite(index),
              equal,
              List.of(),
              component.descending() != by.descending(),
              OrderScan.Missing.NONE,
              equal.stream().noneMatch(JsonNode::isContainerNode),
              used);
        }
        if (equality == null) {
          break;
        }
        equal.add(((ValueRange.Point) equality.ranges().get(0)).value());
        used.add(equality);
      }
    }
    return null;
  }

  // ---- ORDER BY several properties

  private Plan byMany() {
    List<IndexRejection> rejected = new ArrayList<>();
    CompositeIndex serving = null;
    for (CompositeIndex index : available.composites()) {
      String reason = CompositeRules.order(index, ordering);
      if (reason.isEmpty() && serving == null) {
        serving = index;
      } else if (!reason.isEmpty()) {
        rejected.add(new IndexRejection(new IndexRef.Composite(index), "R1", reason));
      }
    }
    if (serving == null) {
      throw noComposite();
    }
    boolean strict = mode == PlannerMode.STRICT;
    if (forceScan) {
      return plan(scan().filter(), null, false, rejected);
    }
    boolean reverse = serving.components().get(0).descending() != ordering.get(0).descending();
    Verdict verdict = CompositeRules.orderedFilter(serving, filters);
    if (verdict.scan() == null) {
      rejected.add(rejection(serving, verdict));
    }
    AccessPath.Scan scan = verdict.scan();
    IndexRef index = new IndexRef.Composite(serving);
    OrderScan order = OrderScan.of(index, scan, reverse, OrderScan.Missing.NONE);
    AccessPath filter =
        scan == null
            ? chooser.choose(condition, !strict)
            : condition instanceof Condition.Or or
                ? chooser.choose(or, !strict)
                : chooser.choose(without(scan.predicates()), !strict);
    return plan(
        condition instanceof Condition.Never ? new AccessPath.Empty() : filter,
        order,
        false,
        rejected);
  }

  /** Returns the error of an order by an excluded path, which names the path to include. */
  private QueryException excluded(FieldRef field) {
    IndexPath path = field.path();
    if (IndexAvailability.isEtag(path)) {
      return notServed(EXCLUDED + " No index can serve an order by _etag.", List.of());
    }
    if (available.mode() == IndexingMode.NONE) {
      return notServed(EXCLUDED + NO_INDEXES, List.of());
    }
    if (available.isDefined(path)) {
      return notServed(EXCLUDED + " The path " + path + NOT_COMPLETE, List.of());
    }
    return notServed(
        EXCLUDED + " The path is %1$s: include \"%1$s/?\" in the indexing policy.".formatted(path),
        List.of(path + "/?"));
  }

  /** Returns the error of an order that no composite index serves, which names such an index. */
  private QueryException noComposite() {
    if (available.mode() == IndexingMode.NONE) {
      return notServed(NO_COMPOSITE + NO_INDEXES, List.of());
    }
    for (CompositeIndex index : available.defined()) {
      if (CompositeRules.order(index, ordering).isEmpty()) {
        String paths = String.join(", ", new IndexRef.Composite(index).spec());
        return notServed(
            NO_COMPOSITE + " The composite index (" + paths + ")" + NOT_COMPLETE, List.of());
      }
    }
    boolean servable =
        ordering.size() <= PolicyRules.MAX_COMPOSITE
            && ordering.stream()
                .allMatch(
                    by ->
                        by.field().isSingle()
                            && by.field().path().size() > 0
                            && !IndexAvailability.isEtag(by.field().path()));
    List<String> missing =
        servable
            ? ordering.stream()
                .map(by -> new CompositeComponent(by.field().exact(), by.descending()))
                .map(IndexRef.Composite::text)
                .toList()
            : List.of();
    return notServed(
        servable
            ? NO_COMPOSITE
                + " Add the composite index (%s) to the indexing policy."
                    .formatted(String.join(", ", missing))
            : NO_COMPOSITE,
        missing);
  }

  private QueryException notServed(String message, List<String> missingIndex) {
    Span span =
        query.orderBy().get(0).span().to(query.orderBy().get(query.orderBy().size() - 1).span());
    return new QueryException(
        DocumentErrorCode.ORDER_NOT_INDEXED,
        "BadRequest",
        message,
        span.start(),
        span.end(),
        missingIndex);
  }

  // ---- nearest and vector orders

  private @Nullable NearestScan nearest() {
    if (query.orderBy().size() != 1 || forceScan || available.lags()) {
      return null;
    }
    Query.OrderItem by = query.orderBy().get(0);
    return by.descending() ? null : chooser.nearest(by.expr(), conditions, scope);
  }

  private Plan plan(
      AccessPath filter, @Nullable OrderScan order, boolean covered, List<IndexRejection> known) {
    return plan(filter, order, covered, null, false, 0, known);
  }

  private Plan plan(
      AccessPath found,
      @Nullable OrderScan order,
      boolean covered,
      @Nullable MinMaxScan ends,
      boolean skips,
      int prefix,
      List<IndexRejection> known) {
    VectorScan vector = vector(found);
    AccessPath filter = vector == null ? found : besideShards(vector, found);
    Set<String> used = new LinkedHashSet<>();
    Plan.indexes(filter, order).forEach(index -> used.add(index.name()));
    List<IndexRejection> rejected = new ArrayList<>();
    Set<String> reported = new LinkedHashSet<>();
    for (IndexRejection rejection : known) {
      if (!used.contains(rejection.index().name()) || !rejection.rule().equals("R4")) {
        rejected.add(rejection);
        reported.add(rejection.index().name());
      }
    }
    if (!forceScan) {
      for (CompositeIndex index : available.composites()) {
        String name = new IndexRef.Composite(index).name();
        if (!used.contains(name) && reported.add(name)) {
          rejected.add(rejection(index, whyNot(index)));
        }
      }
    }
    return new Plan(
        mode,
        filter,
        order,
        order == null && !query.orderBy().isEmpty(),
        nearest(),
        covered,
        ends,
        skips,
        prefix,
        vector,
        filters,
        ordering,
        rejected,
        available.notReady());
  }

  /** Returns the vector scan, unless conditions would have to be evaluated on most items. */
  private @Nullable VectorScan vector(AccessPath filter) {
    if (forceScan || filter instanceof AccessPath.Empty) {
      return null;
    }
    VectorScan scan = VectorScan.of(query, scope, constants, available, filters);
    boolean evaluatesMost =
        filter instanceof AccessPath.FullScan
            && query.where() != null
            && scan != null
            && scan.fixedBy().isEmpty();
    return evaluatesMost ? null : scan;
  }

  /** Returns the access path for the conditions that the shards of a vector scan do not serve. */
  private AccessPath besideShards(VectorScan scan, AccessPath found) {
    boolean isServed = !scan.fixedBy().isEmpty() && !AggregateCalls.isAggregate(query);
    return isServed ? chooser.choose(without(scan.fixedBy()), true) : found;
  }

  private Verdict whyNot(CompositeIndex index) {
    if (ordering.size() > 1) {
      return Verdict.no("R1", "another index with the same order serves");
    }
    if (ordering.size() == 1) {
      return Verdict.no("R3", "ORDER BY does not list the paths of the index");
    }
    Verdict verdict = CompositeRules.filter(index, filters);
    return verdict.scan() == null
        ? verdict
        : Verdict.no(verdict.rule(), "other indexes serve all of its filters");
  }

  private static IndexRejection rejection(CompositeIndex index, Verdict verdict) {
    return new IndexRejection(new IndexRef.Composite(index), verdict.rule(), verdict.reason());
  }
}
