package io.kvreactive.index.internal.exec;

import static io.kvreactive.index.internal.worker.WorkerThread.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;

/** Estimates the length of rows as JSON without writing them. */
final class RowSizeEstimator {
  private static final int NUMBER = 8;

  private RowSizeEstimator() {}

  /**
   * Returns the estimated length.
   *
   * @param enough the length at which counting may end: a value whose parts share others is longer
   *     than its memory
   */
  static long of(JsonNode value, long enough) {
    checkpoint();
    if (value.isTextual()) {
      return value.textValue().length() + 2L;
    }
    if (!value.isContainerNode()) {
      return value.isMissingNode() ? 0 : value.isBigInteger() ? value.asText().length() : NUMBER;
    }
    long sum = 2;
    if (value.isObject()) {
      for (Map.Entry<String, JsonNode> member : value.properties()) {
        sum += member.getKey().length() + 4 + of(member.getValue(), enough - sum);
        if (sum > enough) {
          break;
        }
      }
      return sum;
    }
    for (JsonNode element : value) {
      sum += 1 + of(element, enough - sum);
      if (sum > enough) {
        break;
      }
    }
    return sum;
  }
}
