package io.kvreactive.documents.internal.plan;

import static io.kvreactive.documents.internal.worker.WorkerThread.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.internal.path.MemberStep;
import io.kvreactive.documents.internal.sql.AggregateCalls;
import io.kvreactive.documents.internal.sql.ast.Expr;
import io.kvreactive.documents.internal.sql.ast.Query;
import io.kvreactive.documents.internal.value.Values;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Builds conditions from the expression of WHERE. */
final class ConditionBuilder {
  private final ConstantValues constants;

  ConditionBuilder(ConstantValues constants) {
    this.constants = constants;
  }

  Condition of(@Nullable Expr expr, FieldScope scope) {
    checkpoint();
    if (expr == null) {
      return Condition.ANY;
    }
    JsonNode constant = constants.value(expr);
    if (constant != null) {
      return Values.isTrue(constant) ? Condition.ANY : Condition.NEVER;
    }
    if (expr instanceof Expr.Binary binary) {
      if (binary.op() == Expr.BinaryOp.AND) {
        return and(List.of(of(binary.left(), scope), of(binary.right(), scope)));
      }
      if (binary.op() == Expr.BinaryOp.OR) {
        return or(List.of(of(binary.left(), scope), of(binary.right(), scope)));
      }
    }
    if (expr instanceof Expr.Between between && between.negated()) {
      return outside(between, scope);
    }
    if (expr instanceof Expr.Subquery exists && exists.op() == Expr.SubqueryOp.EXISTS) {
      return exists(exists.query(), scope);
    }
    if (expr instanceof Expr.Call call && call.name().equals("ARRAY_CONTAINS")) {
      return arrayContains(call, scope);
    }
    Predicate predicate = new PredicateReader(constants, scope).of(expr);
    if (predicate == null) {
      return Condition.ANY;
    }
    return predicate.isNever() ? Condition.NEVER : new Condition.Leaf(predicate);
  }

  /**
   * Returns a call of an extension's function of a value of the item, without a bound; null for
   * other expressions.
   */
  @Nullable Predicate call(Expr expr, FieldScope scope) {
    return new CallPredicates(constants, scope).unbounded(expr);
  }

  private Condition outside(Expr.Between between, FieldScope scope) {
    Expr below =
        new Expr.Binary(Expr.BinaryOp.LESS, between.operand(), between.low(), between.span());
    Expr above =
        new Expr.Binary(Expr.BinaryOp.GREATER, between.operand(), between.high(), between.span());
    return or(List.of(of(below, scope), of(above, scope)));
  }

  /**
   * Returns the condition of EXISTS: some row of the subquery must meet the subquery's condition.
   */
  private Condition exists(Query query, FieldScope scope) {
    boolean mayCount = query.groupBy().isEmpty() && !AggregateCalls.of(query).isEmpty();
    boolean own = query.from().stream().anyMatch(source -> source instanceof Query.Source.Subquery);
    return mayCount || own ? Condition.ANY : of(query.where(), scope.inner(query.from()));
  }

  private Condition arrayContains(Expr.Call call, FieldScope scope) {
    List<Expr> arguments = call.arguments();
    FieldRef array = arguments.isEmpty() ? null : scope.field(arguments.get(0));
    JsonNode wanted = arguments.size() < 2 ? null : constants.value(arguments.get(1));
    JsonNode partial = arguments.size() < 3 ? Values.FALSE : constants.value(arguments.get(2));
    if (array == null || wanted == null || partial == null) {
      return Condition.ANY;
    }
    if (wanted.isMissingNode()) {
      return Condition.NEVER;
    }
    FieldRef element = array.elements(scope.newSource());
    if (!Values.isTrue(partial) || !wanted.isObject() || wanted.isEmpty()) {
      if (!Values.isFalse(partial) && wanted.isObject()) {
        return Condition.ANY;
      }
      return leaf(call, element, wanted, Predicate.Kind.FUNCTION);
    }
    List<Condition> members = new ArrayList<>();
    for (Map.Entry<String, JsonNode> member : wanted.properties()) {
      FieldRef field = element.then(new MemberStep(member.getKey()));
      members.add(leaf(call, field, member.getValue(), Predicate.Kind.EQUAL));
    }
    return and(members);
  }

  private static Condition leaf(Expr call, FieldRef field, JsonNode value, Predicate.Kind kind) {
    return new Condition.Leaf(PredicateReader.equal(call, call, field, value, kind));
  }

  static Condition and(List<Condition> parts) {
    List<Condition> flat = new ArrayList<>();
    for (Condition part : parts) {
      if (part instanceof Condition.Never) {
        return Condition.NEVER;
      }
      if (part instanceof Condition.And and) {
        flat.addAll(and.parts());
      } else if (!(part instanceof Condition.Any)) {
        flat.add(part);
      }
    }
    return flat.isEmpty()
        ? Condition.ANY
        : flat.size() == 1 ? flat.get(0) : new Condition.And(List.copyOf(flat));
  }

  static Condition or(List<Condition> parts) {
    List<Condition> flat = new ArrayList<>();
    for (Condition part : parts) {
      if (part instanceof Condition.Any) {
        return Condition.ANY;
      }
      if (part instanceof Condition.Or or) {
        flat.addAll(or.parts());
      } else if (!(part instanceof Condition.Never)) {
        flat.add(part);
      }
    }
    return flat.isEmpty()
        ? Condition.NEVER
        : flat.size() == 1 ? flat.get(0) : new Condition.Or(List.copyOf(flat));
  }
}
