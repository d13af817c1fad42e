package io.kvreactive.index.internal.eval.functions;

import static io.kvreactive.index.internal.value.Values.UNDEFINED;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.index.internal.value.Values;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the aggregates do with rows, with the elements of one array: SUM, AVG and MEDIAN are
 * undefined when an element is no number, MIN and MAX when one is an array or an object; all but
 * SUM are undefined when there is none.
 */
final class ArrayMathFunctions {
  private ArrayMathFunctions() {}

  static List<ScalarFunction> all() {
    return List.of(
        Fn.ofArray("ARRAY_SUM", array -> ofNumbers(array, ArrayMathFunctions::sum)),
        Fn.ofArray("ARRAY_AVG", array -> ofNumbers(array, n -> sum(n) / n.length)),
        Fn.ofArray("ARRAY_MEDIAN", array -> ofNumbers(array, ArrayMathFunctions::median)),
        Fn.ofArray("ARRAY_MIN", array -> extreme(array, -1)),
        Fn.ofArray("ARRAY_MAX", array -> extreme(array, 1)));
  }

  private interface Reduction {
    double apply(double[] numbers);
  }

  /** What has no result is NaN only when there are no numbers. */
  private static JsonNode ofNumbers(JsonNode array, Reduction reduction) {
    double[] numbers = numbers(array);
    if (numbers == null) {
      return UNDEFINED;
    }
    double result = reduction.apply(numbers);
    return numbers.length == 0 && Double.isNaN(result) ? UNDEFINED : Values.number(result);
  }

  private static double @Nullable [] numbers(JsonNode array) {
    double[] numbers = new double[array.size()];
    for (int i = 0; i < numbers.length; i++) {
      if (!array.get(i).isNumber()) {
        return null;
      }
      numbers[i] = array.get(i).doubleValue();
    }
    return numbers;
  }

  private static double sum(double[] numbers) {
    double sum = 0;
    for (double number : numbers) {
      sum += number;
    }
    return sum;
  }

  private static double median(double[] numbers) {
    if (numbers.length == 0) {
      return Double.NaN;
    }
    double[] sorted = numbers.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    // halves first, as the sum of two large ones may be infinite
    return sorted.length % 2 == 1 ? sorted[middle] : sorted[middle - 1] / 2 + sorted[middle] / 2;
  }

  private static JsonNode extreme(JsonNode array, int sign) {
    JsonNode best = UNDEFINED;
    for (int i = 0; i < array.size(); i++) {
      JsonNode element = array.get(i);
      if (!Values.isScalar(element)) {
        return UNDEFINED;
      }
      if (best.isMissingNode() || Integer.signum(Values.compare(element, best)) == sign) {
        best = element;
      }
    }
    return best;
  }
}
