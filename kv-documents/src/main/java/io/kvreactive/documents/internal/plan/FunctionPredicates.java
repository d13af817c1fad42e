package io.kvreactive.documents.internal.plan;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.internal.functions.CaseVariants;
import io.kvreactive.documents.internal.plan.ValueRange.ValueType;
import io.kvreactive.documents.internal.sql.ast.Expr;
import io.kvreactive.documents.internal.value.Values;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads predicates that are function calls. */
final class FunctionPredicates {
  private final ConstantValues constants;
  private final FieldScope scope;

  FunctionPredicates(ConstantValues constants, FieldScope scope) {
    this.constants = constants;
    this.scope = scope;
  }

  @Nullable Predicate of(Expr.Call call) {
    List<Expr> arguments = call.arguments();
    FieldRef field = arguments.isEmpty() ? null : scope.field(arguments.get(0));
    if (field == null) {
      return null;
    }
    return switch (call.name()) {
      case "IS_DEFINED" -> types(call, field, ValueType.NULL, ValueType.OBJECT, true);
      case "IS_NULL" -> types(call, field, ValueType.NULL, ValueType.NULL, true);
      case "IS_BOOL" -> types(call, field, ValueType.FALSE, ValueType.TRUE, true);
      case "IS_NUMBER" -> types(call, field, ValueType.NUMBER, ValueType.NUMBER, true);
      case "IS_STRING" -> types(call, field, ValueType.STRING, ValueType.STRING, true);
      case "IS_ARRAY" -> types(call, field, ValueType.ARRAY, ValueType.ARRAY, true);
      case "IS_OBJECT" -> types(call, field, ValueType.OBJECT, ValueType.OBJECT, true);
      case "IS_PRIMITIVE" -> types(call, field, ValueType.NULL, ValueType.STRING, true);
      // an integer beyond 2^53 differs from its double, so the item decides
      case "IS_FINITE_NUMBER", "IS_INTEGER" ->
          types(call, field, ValueType.NUMBER, ValueType.NUMBER, false);
      case "STARTSWITH" -> startsWith(call, field);
      case "STRINGEQUALS" -> stringEquals(call, field);
      case "CONTAINS", "ENDSWITH", "REGEXMATCH" -> text(call, field);
      default -> null;
    };
  }

  /** Returns the predicate of {@code NOT IS_DEFINED(x)}; null for other expressions. */
  @Nullable Predicate ofNot(Expr.Unary not) {
    if (!(not.operand() instanceof Expr.Call call)
        || !call.name().equals("IS_DEFINED")
        || call.arguments().isEmpty()) {
      return null;
    }
    Expr subject = call.arguments().get(0);
    FieldRef field = scope.field(subject);
    return field == null
        ? null
        : new Predicate(
            not,
            subject,
            field,
            Predicate.Kind.FUNCTION,
            List.of(ValueRange.MISSING),
            true,
            false,
            AccessClass.INDEX_SEEK,
            false);
  }

  private static Predicate types(
      Expr.Call call, FieldRef field, ValueType from, ValueType to, boolean tight) {
    boolean one = from == to && from == ValueType.NULL;
    return new Predicate(
        call,
        call.arguments().get(0),
        field,
        Predicate.Kind.FUNCTION,
        List.of(new ValueRange.Types(from, to)),
        tight,
        to.compareTo(ValueType.ARRAY) >= 0,
        one || to == ValueType.OBJECT && from == ValueType.NULL
            ? AccessClass.INDEX_SEEK
            : AccessClass.FULL_INDEX_SCAN,
        false);
  }

  private @Nullable Predicate startsWith(Expr.Call call, FieldRef field) {
    JsonNode prefix = call.arguments().size() < 2 ? null : constants.value(call.arguments().get(1));
    JsonNode ignoreCase = flag(call, 2);
    if (prefix == null || ignoreCase == null) {
      return null;
    }
    if (!prefix.isTextual() || !ignoreCase.isBoolean()) {
      return PredicateReader.range(call, call.arguments().get(0), field, List.of(), false);
    }
    if (ignoreCase.booleanValue()) {
      return ignoringCase(call, field, prefix.textValue());
    }
    return PredicateReader.range(
        call,
        call.arguments().get(0),
        field,
        List.of(new ValueRange.Prefix(prefix.textValue())),
        false);
  }

  private @Nullable Predicate stringEquals(Expr.Call call, FieldRef field) {
    JsonNode value = call.arguments().size() < 2 ? null : constants.value(call.arguments().get(1));
    JsonNode ignoreCase = flag(call, 2);
    if (value == null || ignoreCase == null) {
      return null;
    }
    if (!value.isTextual() || !ignoreCase.isBoolean()) {
      return PredicateReader.range(call, call.arguments().get(0), field, List.of(), false);
    }
    return ignoreCase.booleanValue()
        ? ignoringCase(call, field, value.textValue())
        : PredicateReader.equal(call, call.arguments().get(0), field, value, Predicate.Kind.EQUAL);
  }

  /** Returns the argument for ignoring case: false if it is absent. */
  private @Nullable JsonNode flag(Expr.Call call, int at) {
    return call.arguments().size() > at ? constants.value(call.arguments().get(at)) : Values.FALSE;
  }

  /**
   * Returns a predicate for all texts with a prefix in any letter case, each tested with the
   * condition.
   */
  private @Nullable Predicate ignoringCase(Expr.Call call, FieldRef field, String text) {
    if (text.isEmpty()) {
      return text(call, field);
    }
    List<ValueRange> starts = new ArrayList<>();
    CaseVariants.ofStart(text).forEach(start -> starts.add(new ValueRange.Prefix(start)));
    return PredicateReader.tested(
        call, call.arguments().get(0), field, starts, AccessClass.EXPANDED_INDEX_SCAN);
  }

  /**
   * Returns a predicate for all texts of the field, each tested with the condition. Arguments must
   * be constant.
   */
  private @Nullable Predicate text(Expr.Call call, FieldRef field) {
    for (Expr argument : call.arguments().subList(1, call.arguments().size())) {
      if (constants.value(argument) == null) {
        return null;
      }
    }
    return PredicateReader.texts(call, call.arguments().get(0), field);
  }

  /**
   * Returns the prefix predicate of {@code LEFT(x, n) = "…"} or {@code SUBSTRING(x, 0, n) = "…"}.
   */
  @Nullable Predicate ofEquality(Expr.Binary expr) {
    Predicate predicate = prefix(expr, expr.left(), expr.right());
    return predicate != null ? predicate : prefix(expr, expr.right(), expr.left());
  }

  private @Nullable Predicate prefix(Expr.Binary expr, Expr side, Expr other) {
    JsonNode value = constants.value(other);
    if (value == null
        || !value.isTextual()
        || value.textValue().isEmpty()
        || !(side instanceof Expr.Call call)
        || call.arguments().isEmpty()) {
      return null;
    }
    FieldRef field = scope.field(call.arguments().get(0));
    if (field == null || !isStart(call)) {
      return null;
    }
    return PredicateReader.tested(
        expr,
        call.arguments().get(0),
        field,
        List.of(new ValueRange.Prefix(value.textValue())),
        AccessClass.PRECISE_INDEX_SCAN);
  }

  private boolean isStart(Expr.Call call) {
    if (call.name().equals("LEFT")) {
      return call.arguments().size() == 2 && isNumber(call.arguments().get(1));
    }
    if (!call.name().equals("SUBSTRING") || call.arguments().size() != 3) {
      return false;
    }
    JsonNode start = constants.value(call.arguments().get(1));
    return start != null
        && start.isNumber()
        && start.doubleValue() == 0
        && isNumber(call.arguments().get(2));
  }

  private boolean isNumber(Expr expr) {
    JsonNode value = constants.value(expr);
    return value != null && value.isNumber();
  }
}
