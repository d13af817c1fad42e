package io.kvreactive.documents.internal.sql;

import io.kvreactive.documents.internal.sql.ast.Expr;
import io.kvreactive.documents.internal.sql.ast.Expr.BinaryOp;
import io.kvreactive.documents.internal.sql.ast.Query;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the parameters whose values are not needed to bind a query. A path must be equal to each
 * parameter, or bounded by it on one side. Apart from a bound on the other side, no other condition
 * may be on this path.
 */
public final class ParameterizableQuery {
  /** The kind of condition on a path. */
  private enum Side {
    EQUAL,
    LOW,
    HIGH,
    /** Any condition without parameters. */
    CLOSED
  }

  private final PathResolver paths;
  private final Map<DocumentPath, List<Side>> sides = new HashMap<>();
  private final Set<DocumentPath> open = new HashSet<>();
  private final List<String> names = new ArrayList<>();

  private ParameterizableQuery(Query bound) {
    paths = PathResolver.of(bound);
  }

  /**
   * Returns true if a query can be bound by {@link QueryBinder#bindOpen}: no parameter is a number
   * of rows.
   */
  public static boolean mayBeOpen(Query parsed) {
    return !(parsed.select().top() instanceof Expr.Parameter)
        && !(parsed.offset() instanceof Expr.Parameter)
        && !(parsed.limit() instanceof Expr.Parameter)
        && parsed.from().size() == 1
        && parsed.from().get(0) instanceof Query.Source.Path path
        && !path.each();
  }

  /**
   * Returns the names of the parameters; empty if the query has none.
   *
   * @param bound the bound query, with its parameters
   * @return the names, or null if the query needs the values
   */
  public static @Nullable List<String> names(Query bound) {
    List<Expr> terms =
        bound.where() == null ? List.of() : OperatorChains.terms(BinaryOp.AND, bound.where());
    List<Expr> others = new ArrayList<>(ChildExpressions.of(bound));
    others.remove(bound.where());
    ParameterizableQuery found = new ParameterizableQuery(bound);
    return others.stream().allMatch(ParameterizableQuery::isClosed) && found.areOpen(terms)
        ? found.names
        : null;
  }

  /** Returns true if an expression has no parameters, and no subqueries, which might have some. */
  private static boolean isClosed(Expr expr) {
    return !ChildExpressions.anyMatch(
        expr, part -> part instanceof Expr.Parameter || part instanceof Expr.Subquery);
  }

  private boolean areOpen(List<Expr> terms) {
    for (Expr term : terms) {
      if (isClosed(term)) {
        closed(term);
      } else if (!open(term)) {
        return false;
      }
    }
    for (DocumentPath path : open) {
      List<Side> said = sides.getOrDefault(path, List.of());
      boolean both = said.size() == 2 && said.contains(Side.LOW) && said.contains(Side.HIGH);
      if (said.size() != 1 && !both) {
        return false;
      }
    }
    return true;
  }

  /** Returns true if a term compares a path with a parameter that occurs nowhere else. */
  private boolean open(Expr term) {
    if (!(term instanceof Expr.Binary binary)) {
      return false;
    }
    boolean flipped = binary.left() instanceof Expr.Parameter;
    Expr subject = flipped ? binary.right() : binary.left();
    Expr value = flipped ? binary.left() : binary.right();
    Side side = side(binary.op(), flipped);
    DocumentPath path = subject instanceof Expr.Member ? paths.path(subject) : null;
    if (side == null
        || path == null
        || !(value instanceof Expr.Parameter parameter)
        || names.contains(parameter.name())) {
      return false;
    }
    open.add(path);
    say(path, side);
    names.add(parameter.name());
    return true;
  }

  private static @Nullable Side side(BinaryOp op, boolean flipped) {
    return switch (op) {
      case EQUAL -> Side.EQUAL;
      case LESS, LESS_OR_EQUAL -> flipped ? Side.LOW : Side.HIGH;
      case GREATER, GREATER_OR_EQUAL -> flipped ? Side.HIGH : Side.LOW;
      default -> null;
    };
  }

  private void closed(Expr expr) {
    DocumentPath path = PathResolver.isPath(expr) ? paths.path(expr) : null;
    if (path != null) {
      say(path, Side.CLOSED);
    } else {
      ChildExpressions.of(expr).forEach(this::closed);
    }
  }

  private void say(DocumentPath path, Side side) {
    sides.computeIfAbsent(path, key -> new ArrayList<>()).add(side);
  }
}
