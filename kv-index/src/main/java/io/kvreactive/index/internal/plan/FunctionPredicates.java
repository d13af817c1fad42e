package io.kvreactive.index.internal.plan;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.index.internal.functions.CaseVariants;
import io.kvreactive.index.internal.plan.ValueRange.ValueType;
import io.kvreactive.index.internal.sql.ast.Expr;
import io.kvreactive.index.internal.value.Values;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads conditions that are calls of functions. */
final class FunctionPredicates {
  private final ConstantValues constants;
  private final FieldScope scope;

  FunctionPredicates(ConstantValues constants, FieldScope scope) {
    this.constants = constants;
    this.scope = scope;
  }

  @Nullable Predicate of(Expr.Call call) {
    List<Expr> arguments = call.arguments();
    FieldRef place = arguments.isEmpty() ? null : scope.place(arguments.get(0));
    if (place == null) {
      return null;
    }
    return switch (call.name()) {
      case "IS_DEFINED" -> types(call, place, ValueType.NULL, ValueType.OBJECT, true);
      case "IS_NULL" -> types(call, place, ValueType.NULL, ValueType.NULL, true);
      case "IS_BOOL" -> types(call, place, ValueType.FALSE, ValueType.TRUE, true);
      case "IS_NUMBER" -> types(call, place, ValueType.NUMBER, ValueType.NUMBER, true);
      case "IS_STRING" -> types(call, place, ValueType.STRING, ValueType.STRING, true);
      case "IS_ARRAY" -> types(call, place, ValueType.ARRAY, ValueType.ARRAY, true);
      case "IS_OBJECT" -> types(call, place, ValueType.OBJECT, ValueType.OBJECT, true);
      case "IS_PRIMITIVE" -> types(call, place, ValueType.NULL, ValueType.STRING, true);
      // an integer beyond 2^53 is another one as a double, so the item decides
      case "IS_FINITE_NUMBER", "IS_INTEGER" ->
          types(call, place, ValueType.NUMBER, ValueType.NUMBER, false);
      case "STARTSWITH" -> startsWith(call, place);
      case "STRINGEQUALS" -> stringEquals(call, place);
      case "CONTAINS", "ENDSWITH", "REGEXMATCH" -> text(call, place);
      default -> null;
    };
  }

  /** {@code NOT IS_DEFINED(x)}; null for others. */
  @Nullable Predicate ofNot(Expr.Unary not) {
    if (!(not.operand() instanceof Expr.Call call)
        || !call.name().equals("IS_DEFINED")
        || call.arguments().isEmpty()) {
      return null;
    }
    Expr subject = call.arguments().get(0);
    FieldRef place = scope.place(subject);
    return place == null
        ? null
        : new Predicate(
            not,
            subject,
            place,
            Predicate.Kind.FUNCTION,
            List.of(ValueRange.MISSING),
            true,
            false,
            AccessClass.INDEX_SEEK,
            false);
  }

  private static Predicate types(
      Expr.Call call, FieldRef place, ValueType from, ValueType to, boolean tight) {
    boolean one = from == to && from == ValueType.NULL;
    return new Predicate(
        call,
        call.arguments().get(0),
        place,
        Predicate.Kind.FUNCTION,
        List.of(new ValueRange.Types(from, to)),
        tight,
        to.compareTo(ValueType.ARRAY) >= 0,
        one || to == ValueType.OBJECT && from == ValueType.NULL
            ? AccessClass.INDEX_SEEK
            : AccessClass.FULL_INDEX_SCAN,
        false);
  }

  private @Nullable Predicate startsWith(Expr.Call call, FieldRef place) {
    JsonNode prefix = call.arguments().size() < 2 ? null : constants.value(call.arguments().get(1));
    JsonNode ignoreCase = flag(call, 2);
    if (prefix == null || ignoreCase == null) {
      return null;
    }
    if (!prefix.isTextual() || !ignoreCase.isBoolean()) {
      return PredicateReader.range(call, call.arguments().get(0), place, List.of(), false);
    }
    if (ignoreCase.booleanValue()) {
      return ignoringCase(call, place, prefix.textValue());
    }
    return PredicateReader.range(
        call,
        call.arguments().get(0),
        place,
        List.of(new ValueRange.Prefix(prefix.textValue())),
        false);
  }

  private @Nullable Predicate stringEquals(Expr.Call call, FieldRef place) {
    JsonNode value = call.arguments().size() < 2 ? null : constants.value(call.arguments().get(1));
    JsonNode ignoreCase = flag(call, 2);
    if (value == null || ignoreCase == null) {
      return null;
    }
    if (!value.isTextual() || !ignoreCase.isBoolean()) {
      return PredicateReader.range(call, call.arguments().get(0), place, List.of(), false);
    }
    return ignoreCase.booleanValue()
        ? ignoringCase(call, place, value.textValue())
        : PredicateReader.equal(call, call.arguments().get(0), place, value, Predicate.Kind.EQUAL);
  }

  /** The argument that says whether case is ignored: false when it is not given. */
  private @Nullable JsonNode flag(Expr.Call call, int at) {
    return call.arguments().size() > at ? constants.value(call.arguments().get(at)) : Values.FALSE;
  }

  /** Texts that begin like one in any letter case, each tested with the condition. */
  private @Nullable Predicate ignoringCase(Expr.Call call, FieldRef place, String text) {
    if (text.isEmpty()) {
      return text(call, place);
    }
    List<ValueRange> starts = new ArrayList<>();
    CaseVariants.ofStart(text).forEach(start -> starts.add(new ValueRange.Prefix(start)));
    return tested(call, place, starts, AccessClass.EXPANDED_INDEX_SCAN);
  }

  /** All texts at the place, each tested with the condition. Arguments must be constants. */
  private @Nullable Predicate text(Expr.Call call, FieldRef place) {
    for (Expr argument : call.arguments().subList(1, call.arguments().size())) {
      if (constants.value(argument) == null) {
        return null;
      }
    }
    ValueRange texts = new ValueRange.Types(ValueType.STRING, ValueType.STRING);
    return tested(call, place, List.of(texts), AccessClass.FULL_INDEX_SCAN);
  }

  private static Predicate tested(
      Expr.Call call, FieldRef place, List<ValueRange> ranges, AccessClass accessClass) {
    return new Predicate(
        call,
        call.arguments().get(0),
        place,
        Predicate.Kind.FUNCTION,
        ranges,
        false,
        false,
        accessClass,
        true);
  }

  /** {@code LEFT(x, n) = "…"}, {@code SUBSTRING(x, 0, n) = "…"}: texts that begin so. */
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
    FieldRef place = scope.place(call.arguments().get(0));
    if (place == null || !isStart(call)) {
      return null;
    }
    return new Predicate(
        expr,
        call.arguments().get(0),
        place,
        Predicate.Kind.FUNCTION,
        List.of(new ValueRange.Prefix(value.textValue())),
        false,
        false,
        AccessClass.PRECISE_INDEX_SCAN,
        true);
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
