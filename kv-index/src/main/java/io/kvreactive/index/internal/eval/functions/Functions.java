package io.kvreactive.index.internal.eval.functions;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** All functions by name. */
public final class Functions {
  /**
   * How many characters a text that a function makes may have, and how many elements an array:
   * about the size of the largest item. What would be larger is undefined.
   */
  public static final int MAX_RESULT = 2 * 1024 * 1024;

  private static final Map<String, ScalarFunction> BY_NAME = byName(List.of());

  private Functions() {}

  /** The function, or null when there is none of that name. */
  public static @Nullable ScalarFunction find(String nameInCapitals) {
    return BY_NAME.get(nameInCapitals);
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
