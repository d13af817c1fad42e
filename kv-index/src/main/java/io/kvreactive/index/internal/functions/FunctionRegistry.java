package io.kvreactive.index.internal.functions;

import io.kvreactive.index.internal.value.Values;
import io.kvreactive.index.spi.IndexExtensions;
import io.kvreactive.index.spi.ScalarFunction;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** All functions by name. */
public final class FunctionRegistry {
  /**
   * How many characters a text that a function makes may have, and how many elements an array:
   * about the size of the largest item. What would be larger is undefined.
   */
  public static final int MAX_RESULT = 2 * 1024 * 1024;

  private static final Map<String, ScalarFunction> BY_NAME =
      byName(
          List.of(
              TypeFunctions.all(),
              StringFunctions.all(),
              SearchFunctions.all(),
              List.of(new RegexFunction()),
              ConversionFunctions.all(),
              MathFunctions.all(),
              IntegerFunctions.all(),
              ArrayFunctions.all(),
              ContainsFunctions.all(),
              SetFunctions.all(),
              ArrayMathFunctions.all(),
              DateFunctions.all(),
              DateMathFunctions.all(),
              List.of(documentId(), new VectorDistance()),
              IndexExtensions.functions()));

  private FunctionRegistry() {}

  /** The function, or null when there is none of that name. */
  public static @Nullable ScalarFunction find(String nameInCapitals) {
    return BY_NAME.get(nameInCapitals);
  }

  /** Of the row's item, whose alias is the argument. */
  private static ScalarFunction documentId() {
    return LambdaFunction.varying(
        "DOCUMENTID",
        1,
        (arguments, context) ->
            arguments[0].isObject() ? Values.number(context.documentId()) : Values.UNDEFINED);
  }

  private static Map<String, ScalarFunction> byName(List<List<ScalarFunction>> groups) {
    Map<String, ScalarFunction> byName = new HashMap<>();
    for (List<ScalarFunction> group : groups) {
      for (ScalarFunction function : group) {
        if (byName.put(function.name(), function) != null) {
          throw new IllegalStateException("two functions of name " + function.name());
        }
      }
    }
    return Map.copyOf(byName);
  }
}
