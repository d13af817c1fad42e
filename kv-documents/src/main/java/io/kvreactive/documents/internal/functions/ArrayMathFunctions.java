package io.kvreactive.documents.internal.functions;

import static io.kvreactive.documents.internal.value.Values.UNDEFINED;
import static io.kvreactive.documents.internal.worker.WorkerThread.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.internal.value.Values;
import io.kvreactive.documents.spi.ScalarFunction;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Functions that compute aggregates over the elements of one array. SUM, AVG and MEDIAN are
 * undefined if an element is not a number, MIN and MAX if an element is an array or object. All
 * except SUM are undefined for an empty array.
 */
final class ArrayMathFunctions {
  private static final int RUN = 4096;

  private ArrayMathFunctions() {}

  static List<ScalarFunction> all() {
    return List.of(
        LambdaFunction.ofArray("ARRAY_SUM", array -> ofNumbers(array, ArrayMathFunctions::sum)),
        LambdaFunction.ofArray("ARRAY_AVG", array -> ofNumbers(array, n -> sum(n) / n.length)),
        LambdaFunction.ofArray(
            "ARRAY_MEDIAN", array -> ofNumbers(array, ArrayMathFunctions::median)),
        LambdaFunction.ofArray("ARRAY_MIN", array -> extreme(array, -1)),
        LambdaFunction.ofArray("ARRAY_MAX", array -> extreme(array, 1)));
  }

  private interface Reduction {
    double apply(double[] numbers);
  }

  /** Reduces an array of numbers. A NaN result means undefined only if there are no numbers. */
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
      checkpoint();
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
    double[] sorted = sorted(numbers);
    int middle = sorted.length / 2;
    // halves first, because the sum of two large numbers may be infinite
    return sorted.length % 2 == 1 ? sorted[middle] : sorted[middle - 1] / 2 + sorted[middle] / 2;
  }

  /** Sorts by merging sorted runs, with checkpoints, which the sort of the JDK lacks. */
  private static double[] sorted(double[] numbers) {
    double[] from = numbers.clone();
    for (int start = 0; start < from.length; start += RUN) {
      checkpoint();
      Arrays.sort(from, start, Math.min(from.length, start + RUN));
    }
    double[] to = new double[from.length];
    for (int run = RUN; run < from.length; run *= 2) {
      for (int start = 0; start < from.length; start += 2 * run) {
        merge(from, start, Math.min(from.length, start + run), start + 2L * run, to);
      }
      double[] merged = to;
      to = from;
      from = merged;
    }
    return from;
  }

  private static void merge(double[] from, int start, int middle, long last, double[] to) {
    int end = (int) Math.min(from.length, last);
    int left = start;
    int right = middle;
    for (int i = start; i < end; i++) {
      checkpoint();
      boolean isLeft =
          right == end || left < middle && Double.compare(from[left], from[right]) <= 0;
      to[i] = isLeft ? from[left++] : from[right++];
    }
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
