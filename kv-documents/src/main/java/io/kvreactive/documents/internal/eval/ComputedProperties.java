package io.kvreactive.documents.internal.eval;

import static io.kvreactive.documents.internal.worker.WorkerThread.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.ComputedProperty;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.internal.functions.FunctionLimitException;
import io.kvreactive.documents.internal.functions.FunctionRegistry;
import io.kvreactive.documents.internal.sql.AggregateCalls;
import io.kvreactive.documents.internal.sql.ChildExpressions;
import io.kvreactive.documents.internal.sql.QueryBinder;
import io.kvreactive.documents.internal.sql.Sql;
import io.kvreactive.documents.internal.sql.ast.Expr;
import io.kvreactive.documents.internal.sql.ast.Query;
import io.kvreactive.documents.internal.sql.ast.Query.SelectKind;
import io.kvreactive.documents.internal.value.Values;
import io.kvreactive.documents.spi.ScalarFunction;
import java.util.Collection;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The computed properties of a collection, compiled. A value depends on the item alone, without its
 * {@code _etag}, so that index entries and queries agree. Immutable and thread-safe.
 */
public final class ComputedProperties {
  /** A collection without computed properties. */
  public static final ComputedProperties NONE = new ComputedProperties(Map.of());

  /**
   * Maximum number of steps of one value, which are calls and thousands of parts of arguments. A
   * value that takes more is undefined.
   */
  public static final int MAX_STEPS = 2_000;

  /** Maximum memory in bytes of one value; a value that takes more is undefined. */
  public static final long MAX_BYTES = 4 << 20;

  private static final String ETAG = "_etag";

  private final Map<String, Compiled> byName;

  private ComputedProperties(Map<String, Compiled> byName) {
    this.byName = byName;
  }

  private record Compiled(String query, QueryProgram program) {}

  /**
   * Compiles definitions with different names.
   *
   * @throws DocumentException INVALID_POLICY if a query breaks the rules of {@link
   *     ComputedProperty}
   */
  public static ComputedProperties of(List<ComputedProperty> definitions) {
    if (definitions.isEmpty()) {
      return NONE;
    }
    Set<String> names = new HashSet<>();
    definitions.forEach(definition -> names.add(definition.name()));
    Map<String, Compiled> byName = new LinkedHashMap<>();
    for (ComputedProperty definition : definitions) {
      byName.put(definition.name(), compile(definition, names));
    }
    return new ComputedProperties(byName);
  }

  private static Compiled compile(ComputedProperty definition, Set<String> names) {
    Query query;
    QueryProgram program;
    try {
      Query parsed = Sql.parse(definition.query());
      checkShape(definition.name(), parsed);
      query = QueryBinder.bind(parsed, Map.of());
      program = QueryProgram.of(query);
    } catch (DocumentException e) {
      throw e.code() == DocumentErrorCode.INVALID_POLICY
          ? e
          : invalid(definition.name(), "its query is not valid: " + e.detail());
    }
    checkParts(definition.name(), query.select().items().get(0).expr());
    Set<String> members = program.members() == null ? Set.of() : program.members();
    for (String member : members) {
      if (names.contains(member) || member.equals(ETAG)) {
        throw invalid(
            definition.name(),
            "its query uses \""
                + member
                + "\" (expected: neither a computed property nor "
                + ETAG
                + ")");
      }
    }
    return new Compiled(definition.query(), program);
  }

  private static void checkShape(String name, Query query) {
    if (query.itemSource() == null
        || query.select().kind() != SelectKind.VALUE
        || query.select().distinct()
        || query.select().top() != null
        || query.where() != null
        || !query.groupBy().isEmpty()
        || !query.orderBy().isEmpty()
        || query.offset() != null) {
      throw invalid(
          name,
          "its query has another form (expected: SELECT VALUE expression FROM c, without other"
              + " clauses)");
    }
  }

  private static void checkParts(String name, Expr expr) {
    if (ChildExpressions.subquery(expr) != null) {
      throw invalid(name, "its query has a subquery (expected: none)");
    }
    if (expr instanceof Expr.Call call) {
      ScalarFunction function = FunctionRegistry.find(call.name());
      if (AggregateCalls.isAggregate(call)
          || function != null && !function.deterministic()
          || call.name().startsWith("ST_")
          || call.name().equals("VECTORDISTANCE")) {
        throw invalid(
            name,
            "its query calls "
                + call.name()
                + " (expected: functions whose result depends on their arguments alone, and no"
                + " aggregates, spatial or vector functions)");
      }
    }
    ChildExpressions.of(expr).forEach(part -> checkParts(name, part));
  }

  private static DocumentException invalid(String name, String problem) {
    return new DocumentException(
        DocumentErrorCode.INVALID_POLICY, "computed property \"" + name + "\": " + problem);
  }

  public boolean isEmpty() {
    return byName.isEmpty();
  }

  /** Returns the text of the query of a property, or null if no property has this name. */
  public @Nullable String query(String name) {
    Compiled property = byName.get(name);
    return property == null ? null : property.query();
  }

  /**
   * Returns these properties if one of them is among the given members, otherwise {@link #NONE}.
   *
   * @param members the names of members, or null for all
   */
  public ComputedProperties among(@Nullable Set<String> members) {
    return members == null || members.stream().anyMatch(byName::containsKey) ? this : NONE;
  }

  /**
   * Returns the names of the stored members on which some members depend, or null for all.
   *
   * @param members the names of members, stored or computed; null for all
   */
  public @Nullable Set<String> inputs(@Nullable Set<String> members) {
    if (members == null || among(members).isEmpty()) {
      return members;
    }
    Set<String> inputs = new HashSet<>();
    for (String member : members) {
      Compiled property = byName.get(member);
      if (property == null) {
        inputs.add(member);
      } else if (property.program().members() == null) {
        return null;
      } else {
        inputs.addAll(property.program().members());
      }
    }
    return inputs;
  }

  /**
   * Returns a document whose {@code get} also finds the computed properties of the item. Its
   * members are those of the item.
   */
  public ObjectNode view(ObjectNode item) {
    return isEmpty() ? item : new ComputedDocument(this, item);
  }

  /** Returns a copy of an item in which some properties have their computed values. */
  public ObjectNode materialize(ObjectNode item, Collection<String> names) {
    ObjectNode copy = item.objectNode();
    copy.setAll(item);
    for (String name : names) {
      JsonNode value = value(name, item, kept -> {});
      if (value.isMissingNode()) {
        copy.remove(name);
      } else {
        copy.set(name, value);
      }
    }
    return copy;
  }

  /**
   * Returns the value of a property, possibly undefined.
   *
   * @param name the name of one of these properties
   * @param item the stored members of the item, at least those that the property depends on
   * @param kept receives the memory in bytes of what was made for the value
   */
  JsonNode value(String name, ObjectNode item, LongConsumer kept) {
    QueryProgram program = Objects.requireNonNull(byName.get(name)).program();
    ObjectNode input = item;
    if (program.members() == null) {
      input = item.objectNode();
      input.setAll(item);
      input.remove(ETAG);
    }
    ValueBudget budget = new ValueBudget();
    JsonNode value;
    long size;
    try {
      Iterator<Row> rows = program.rows(input, DeterministicContext.NONE, budget);
      value = rows.hasNext() ? program.project(rows.next()) : Values.UNDEFINED;
      size = MemoryEstimator.of(value, MAX_BYTES);
    } catch (ExceededException | FunctionLimitException e) {
      return Values.UNDEFINED; // for entries and for queries
    }
    if (size >= MAX_BYTES) {
      return Values.UNDEFINED;
    }
    kept.accept(Math.min(size, budget.made)); // the rest is part of the item
    return value;
  }

  /** The budget of one value. It depends on the item alone, unlike that of the running work. */
  private static final class ValueBudget implements Budget {
    private int steps;
    private long bytes;
    private long made;

    @Override
    public void allocated(long more) {
      made += more;
    }

    @Override
    public void step() {
      checkpoint();
      if (++steps > MAX_STEPS) {
        throw new ExceededException();
      }
    }

    @Override
    public void hold(long more) {
      bytes += more;
      if (bytes > MAX_BYTES) {
        throw new ExceededException();
      }
    }

    @Override
    public void release(long less) {
      bytes -= less;
    }
  }

  /** Ends the computation of a value. */
  private static final class ExceededException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ExceededException() {
      super(null, null, false, false);
    }
  }
}
