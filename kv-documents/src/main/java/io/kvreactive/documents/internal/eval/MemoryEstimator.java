package io.kvreactive.documents.internal.eval;

import static io.kvreactive.documents.internal.worker.WorkerThread.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import java.util.Map;

/** Estimates of memory, and a size check for values made by a query. */
public final class MemoryEstimator {
  /**
   * Maximum number of values nested in one value. Values may share parts: [s, s] of an s that is
   * [r, r] of an r … takes little memory, but could never be written or compared.
   */
  static final int MAX_PARTS = 1 << 22;

  /** Size in bytes below which the values of one row are not counted while they are made. */
  private static final int SMALL = 4 << 10;

  private MemoryEstimator() {}

  /** Returns the approximate size of a value in bytes. */
  public static long of(JsonNode value) {
    checkpoint();
    if (value.isTextual()) {
      return 56L + value.textValue().length();
    } else if (value.isObject()) {
      long sum = 80;
      for (Map.Entry<String, JsonNode> member : value.properties()) {
        sum += 56 + member.getKey().length() + of(member.getValue());
      }
      return sum;
    } else if (value.isArray()) {
      long sum = 56;
      for (JsonNode element : value) {
        sum += 8 + of(element);
      }
      return sum;
    }
    return value.isNumber() ? 24 : 0;
  }

  /**
   * Returns the approximate size of a value in bytes, or any size above {@code enough}. Shared
   * parts count each time, so that the result may exceed the actual memory.
   */
  public static long of(JsonNode value, long enough) {
    checkpoint();
    if (!value.isContainerNode()) {
      return of(value);
    }
    long sum = 80;
    if (value.isObject()) {
      for (Map.Entry<String, JsonNode> member : value.properties()) {
        sum += 56 + member.getKey().length() + of(member.getValue(), enough - sum);
        if (sum > enough) {
          break;
        }
      }
      return sum;
    }
    for (JsonNode element : value) {
      sum += 8 + of(element, enough - sum);
      if (sum > enough) {
        break;
      }
    }
    return sum;
  }

  /**
   * Returns the approximate size in bytes of what a function or an operator makes, without the
   * elements of an array, which others have made; 0 if it is small.
   */
  static long ofMade(JsonNode value) {
    if (value.isTextual()) {
      int length = value.textValue().length();
      return length < SMALL ? 0 : length;
    }
    return value.size() < SMALL / 8 ? 0 : 8L * value.size();
  }

  /** Checks that a value does not have too many parts, and returns it. */
  static JsonNode checked(JsonNode value, Budget budget) {
    if (value.isContainerNode() && !value.isEmpty()) {
      parts(value, 0, budget);
    }
    return value;
  }

  private static int parts(JsonNode container, int before, Budget budget) {
    int parts = before;
    for (JsonNode part : container) {
      if ((parts & 1023) == 1023) {
        budget.step();
      }
      parts = part.isContainerNode() ? parts(part, parts + 1, budget) : parts + 1;
      checkParts(parts);
    }
    return parts;
  }

  static void checkParts(int parts) {
    if (parts > MAX_PARTS) {
      throw new DocumentException(
          DocumentErrorCode.QUERY_BUDGET_EXCEEDED,
          "The query makes a value of more than " + MAX_PARTS + " parts.");
    }
  }
}
