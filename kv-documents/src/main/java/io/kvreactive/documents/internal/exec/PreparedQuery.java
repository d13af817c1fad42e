package io.kvreactive.documents.internal.exec;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.QueryException;
import io.kvreactive.documents.QueryOptions;
import io.kvreactive.documents.internal.eval.ConditionNormalizer;
import io.kvreactive.documents.internal.eval.QueryProgram;
import io.kvreactive.documents.internal.plan.Plan;
import io.kvreactive.documents.internal.plan.Planner;
import io.kvreactive.documents.internal.plan.VectorArguments;
import io.kvreactive.documents.internal.policy.EmbeddingPolicy;
import io.kvreactive.documents.internal.sql.DerivedTables;
import io.kvreactive.documents.internal.sql.OperatorChains;
import io.kvreactive.documents.internal.sql.QueryBinder;
import io.kvreactive.documents.internal.sql.SqlPrinter;
import io.kvreactive.documents.internal.sql.ast.Expr;
import io.kvreactive.documents.internal.sql.ast.Query;
import io.kvreactive.documents.internal.sql.ast.Span;
import io.kvreactive.documents.internal.store.CollectionMetadata;
import io.kvreactive.json.Utf8;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A compiled query with its parameters and its last plan. Thread-safe. */
final class PreparedQuery {
  /** A function that plans the query. */
  @FunctionalInterface
  interface Planning {
    Plan plan(CollectionMetadata metadata, QueryOptions queryOptions);
  }

  private record Planned(
      Versionstamp version, QueryOptions.PlannerMode mode, boolean forceScan, Plan plan) {}

  private final Query normal;
  private final QueryProgram program;
  private final Planning planning;
  private final @Nullable PreparedQuery from;
  private volatile @Nullable String hash;
  private volatile @Nullable Planned planned;

  PreparedQuery(Query parsed, Map<String, JsonNode> parameters) {
    this(QueryBinder.bind(parsed, parameters));
  }

  /**
   * Creates a prepared query.
   *
   * @param bound the query without parameters
   */
  PreparedQuery(Query bound) {
    Query derived = DerivedTables.of(bound);
    Query own = derived == null ? bound : DerivedTables.over(bound);
    Query query = normal(own);
    PreparedQuery rows = derived == null ? null : new PreparedQuery(derived);
    this.program = QueryProgram.of(own);
    this.normal = query;
    this.from = rows;
    this.planning =
        (metadata, queryOptions) -> {
          if (rows != null) {
            VectorArguments.check(query, EmbeddingPolicy.NONE);
            return rows.plan(metadata, queryOptions);
          }
          VectorArguments.check(query, EmbeddingPolicy.of(metadata.definition()));
          return Planner.plan(
              query,
              Map.of(),
              metadata.available(),
              queryOptions.plannerMode(),
              queryOptions.forceScan());
        };
  }

  /**
   * Creates a prepared query that is planned by {@code planning}.
   *
   * @param normal the result of {@link #normal(Query)}
   */
  PreparedQuery(Query normal, QueryProgram program, Planning planning) {
    this.normal = normal;
    this.program = program;
    this.planning = planning;
    this.from = null;
  }

  /** Returns the query with its condition in the normal form that the planner needs. */
  static Query normal(Query bound) {
    List<Expr> conjuncts = ConditionNormalizer.conjuncts(bound.where());
    return bound.withWhere(
        conjuncts.isEmpty() ? null : OperatorChains.of(Expr.BinaryOp.AND, conjuncts));
  }

  QueryProgram program() {
    return program;
  }

  Query query() {
    return normal;
  }

  /** Returns the prepared subquery whose rows this query reads; null if the query reads items. */
  @Nullable PreparedQuery from() {
    return from;
  }

  /** Returns the query that reads items, which {@link #plan} is about. */
  PreparedQuery reading() {
    PreparedQuery reading = this;
    for (PreparedQuery next = from; next != null; next = next.from) {
      reading = next;
    }
    return reading;
  }

  Plan plan(CollectionMetadata metadata, QueryOptions options) {
    Planned last = planned;
    if (last != null
        && last.version().equals(metadata.versionstamp())
        && last.mode() == options.plannerMode()
        && last.forceScan() == options.forceScan()) {
      return last.plan();
    }
    Plan plan = planning.plan(metadata, options);
    planned =
        new Planned(metadata.versionstamp(), options.plannerMode(), options.forceScan(), plan);
    return plan;
  }

  /** Returns the error with the position of the conditions that no index serves. */
  QueryException scanNotEnabled() {
    Query written = program.query();
    Span place = written.where() == null ? written.span() : written.where().span();
    return new QueryException(
        DocumentErrorCode.SCAN_NOT_ENABLED,
        "BadRequest",
        "no index serves the query, so all items would be read (expected: a condition or an ORDER"
            + " BY that an index serves; or enableScan)",
        place.start(),
        place.end());
  }

  /** Returns a hash of the query and its parameters. */
  String hash() {
    String known = hash;
    if (known == null) {
      try {
        String values = new TreeMap<>(program.parameters()).toString();
        byte[] text = Utf8.json(SqlPrinter.print(program.query()) + values);
        byte[] digest = MessageDigest.getInstance("SHA-256").digest(text);
        known = Base64.getUrlEncoder().withoutPadding().encodeToString(digest).substring(0, 22);
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException(e);
      }
      hash = known;
    }
    return known;
  }
}
