package io.kvreactive.documents.internal.sql;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.internal.functions.FunctionRegistry;
import io.kvreactive.documents.internal.sql.ast.Expr;
import io.kvreactive.documents.internal.sql.ast.Expr.Constant;
import io.kvreactive.documents.internal.sql.ast.Span;
import io.kvreactive.documents.internal.value.Json;
import io.kvreactive.documents.internal.value.Values;
import io.kvreactive.documents.spi.ScalarFunction;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Resolves the names in expressions. */
final class ExprBinder {
  private final @Nullable Map<String, JsonNode> parameters; // null: parameters are kept
  private final QueryBinder queries;

  ExprBinder(@Nullable Map<String, JsonNode> parameters, QueryBinder queries) {
    this.parameters = parameters;
    this.queries = queries;
  }

  /** Binds an expression of a row, in which aggregates are not allowed. */
  Expr bindRow(Expr expr, AliasScope scope, String clause) {
    return bind(expr, scope, "Aggregates can be used in SELECT only, not in " + clause + ".");
  }

  /** Binds an expression of SELECT. */
  Expr bindSelect(Expr expr, AliasScope scope) {
    return bind(expr, scope, null);
  }

  /**
   * Binds an expression.
   *
   * @param noAggregates the reason why aggregates are not allowed, or null if they are allowed
   */
  private Expr bind(Expr expr, AliasScope scope, @Nullable String noAggregates) {
    if (expr instanceof Expr.Parameter parameter) {
      return parameters == null
          ? parameter
          : new Constant(parameter(parameter, parameters), parameter.span());
    } else if (expr instanceof Expr.Identifier identifier) {
      if (!scope.has(identifier.name())) {
        throw SqlErrors.unresolved(identifier.name(), identifier.span());
      }
      return identifier;
    } else if (expr instanceof Expr.Call call) {
      return call(call, scope, noAggregates);
    }
    if (expr instanceof Expr.Like like && like.escape() != null && like.escape().length() != 1) {
      throw SqlErrors.meaning("ESCAPE must be one character.", like.span());
    }
    if (expr instanceof Expr.Subquery e) {
      return new Expr.Subquery(e.op(), queries.bind(e.query(), scope, false), e.span());
    }
    Expr bound = ChildExpressions.map(expr, part -> bind(part, scope, noAggregates));
    // the value of a parameter may be a member name
    return bound instanceof Expr.Element element
            && element.index() instanceof Constant constant
            && constant.value().isTextual()
        ? new Expr.Member(element.target(), constant.value().textValue(), element.span())
        : bound;
  }

  private Expr call(Expr.Call call, AliasScope scope, @Nullable String noAggregates) {
    if (AggregateCalls.isAggregate(call)) {
      if (noAggregates != null) {
        throw SqlErrors.meaning(noAggregates, call.span());
      }
      arity(call, 1, 1);
      return ChildExpressions.map(
          call, part -> bind(part, scope, "An aggregate cannot be applied to another aggregate."));
    }
    ScalarFunction function = FunctionRegistry.find(call.name());
    if (function == null) {
      throw SqlErrors.invalid(
          SqlErrors.FUNCTION,
          "'" + SqlErrors.shortened(call.name()) + "' is not a recognized built-in function name.",
          call.span());
    }
    arity(call, function.minArguments(), function.maxArguments());
    return ChildExpressions.map(call, part -> bind(part, scope, noAggregates));
  }

  private static void arity(Expr.Call call, int least, int most) {
    int given = call.arguments().size();
    if (given >= least && given <= most) {
      return;
    }
    String expected =
        least == most
            ? "" + least
            : most == Integer.MAX_VALUE ? "at least " + least : least + " to " + most;
    throw SqlErrors.meaning(
        "The " + call.name() + " function requires " + expected + " argument(s)", call.span());
  }

  private static JsonNode parameter(Expr.Parameter parameter, Map<String, JsonNode> parameters) {
    JsonNode value = parameters.get(parameter.name());
    value = value == null ? parameters.get("@" + parameter.name()) : value;
    if (value == null) {
      throw SqlErrors.meaning(
          "The parameter '@" + parameter.name() + "' has no value.", parameter.span());
    }
    if (isDeeper(value, Json.MAX_DEPTH)) {
      throw SqlErrors.limit(
          "The value of '@" + parameter.name() + "' is deeper than " + Json.MAX_DEPTH + " levels.",
          parameter.span());
    }
    return value;
  }

  private static boolean isDeeper(JsonNode value, int levels) {
    if (!value.isContainerNode()) {
      return false;
    }
    if (levels == 0) {
      return true;
    }
    for (JsonNode part : value) {
      if (isDeeper(part, levels - 1)) {
        return true;
      }
    }
    return false;
  }

  /** Binds the number of TOP, OFFSET or LIMIT. */
  @Nullable Expr count(@Nullable Expr expr, String clause) {
    if (expr == null) {
      return null;
    }
    JsonNode value =
        expr instanceof Expr.Parameter parameter
            ? parameter(parameter, parameters == null ? Map.of() : parameters)
            : ((Constant) expr).value();
    Span span = expr.span();
    double count = value.isNumber() ? value.doubleValue() : -1;
    if (count < 0 || count > Integer.MAX_VALUE || count != Math.rint(count)) {
      throw SqlErrors.meaning(
          clause + " must be an integer from 0 to " + Integer.MAX_VALUE + ".", span);
    }
    return new Constant(Values.number((long) count), span);
  }
}
