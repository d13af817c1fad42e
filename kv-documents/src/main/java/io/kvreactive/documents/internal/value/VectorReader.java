package io.kvreactive.documents.internal.value;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/** Reads vectors from JSON. */
public final class VectorReader {
  /** Maximum number of elements. */
  public static final int MAX_DIMENSIONS = 4096;

  private VectorReader() {}

  /**
   * Returns the elements of a vector, each rounded to float32.
   *
   * @return null if the value is not an array of 1 to {@value #MAX_DIMENSIONS} numbers, or has a
   *     number beyond the range of float32
   */
  public static float @Nullable [] read(JsonNode value) {
    int size = value.size();
    if (!value.isArray() || size < 1 || size > MAX_DIMENSIONS) {
      return null;
    }
    float[] vector = new float[size];
    for (int i = 0; i < size; i++) {
      JsonNode element = value.get(i);
      float number = element.isNumber() ? (float) element.doubleValue() : Float.NaN;
      if (!Float.isFinite(number)) {
        return null;
      }
      vector[i] = number;
    }
    return vector;
  }
}
