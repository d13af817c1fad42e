package io.kvreactive.documents.internal.functions;

import io.kvreactive.documents.internal.value.Values;
import io.kvreactive.documents.spi.IndexExtensions;
import io.kvreactive.documents.spi.ScalarFunction;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The registry of all functions by name. */
public final class FunctionRegistry {
  /**
   * Maximum length of a function result, in characters of a text or elements of an array: about the
   * size of the largest item. A larger result fails with {@link FunctionLimitException}.
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

  /** Returns the function of a name, or null if the name is unknown. */
  public static @Nullable ScalarFunction find(String nameInCapitals) {
    return BY_NAME.get(nameInCapitals);
  }

  /** Returns the names of all functions. */
  static Set<String> names() {
    return BY_NAME.keySet();
  }

  /** Returns DOCUMENTID: the document id of the row's item, whose alias is the argument. */
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
