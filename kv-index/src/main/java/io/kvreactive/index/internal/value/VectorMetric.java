package io.kvreactive.index.internal.value;

import org.jspecify.annotations.Nullable;

/**
 * A distance function. Scores are computed with doubles from float32 elements, so that neither
 * products nor sums overflow.
 */
public enum VectorMetric {
  /** The cosine of the angle, from -1 to 1; undefined for a vector of zeros. Higher is closer. */
  COSINE("cosine") {
    @Override
    double of(float[] a, float[] b) {
      double dot = 0;
      double squareA = 0;
      double squareB = 0;
      for (int i = 0; i < a.length; i++) {
        double x = a[i];
        double y = b[i];
        dot += x * y;
        squareA += x * x;
        squareB += y * y;
      }
      double cosine = dot / (Math.sqrt(squareA) * Math.sqrt(squareB));
      return Math.max(-1, Math.min(1, cosine));
    }
  },

  /** The dot product. Higher is closer. */
  DOT_PRODUCT("dotproduct") {
    @Override
    double of(float[] a, float[] b) {
      double dot = 0;
      for (int i = 0; i < a.length; i++) {
        dot += (double) a[i] * b[i];
      }
      return dot;
    }
  },

  /** The Euclidean distance. Lower is closer. */
  EUCLIDEAN("euclidean") {
    @Override
    double of(float[] a, float[] b) {
      double square = 0;
      for (int i = 0; i < a.length; i++) {
        double difference = (double) a[i] - b[i];
        square += difference * difference;
      }
      return Math.sqrt(square);
    }
  };

  private final String text;

  VectorMetric(String text) {
    this.text = text;
  }

  /**
   * Returns the distance function of a name such as {@code dotproduct}, or null if the name is
   * unknown.
   */
  public static @Nullable VectorMetric find(@Nullable String name) {
    for (VectorMetric metric : values()) {
      if (metric.text.equals(name)) {
        return metric;
      }
    }
    return null;
  }

  /** Returns the name in policies and queries. */
  public String text() {
    return text;
  }

  /**
   * Returns the score of two vectors, or NaN if there is none, for example because their lengths
   * differ.
   */
  public double score(float[] a, float[] b) {
    return a.length == b.length ? of(a, b) : Double.NaN;
  }

  abstract double of(float[] a, float[] b);

  /** Returns the sort key of a score in ORDER BY, which is lower the closer the vectors are. */
  public double rank(double score) {
    return this == EUCLIDEAN ? score : 0.0 - score;
  }
}
