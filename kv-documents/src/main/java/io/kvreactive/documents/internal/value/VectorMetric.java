package io.kvreactive.documents.internal.value;

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
      double cosine = dot(a, b) / (Math.sqrt(dot(a, a)) * Math.sqrt(dot(b, b)));
      return Math.max(-1, Math.min(1, cosine));
    }
  },

  /** The dot product. Higher is closer. */
  DOT_PRODUCT("dotproduct") {
    @Override
    double of(float[] a, float[] b) {
      return dot(a, b);
    }
  },

  /** The Euclidean distance. Lower is closer. */
  EUCLIDEAN("euclidean") {
    @Override
    double of(float[] a, float[] b) {
      return Math.sqrt(square(a, b));
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

  // The sums of the following methods are independent, so that the processor computes several at a
  // time.

  private static double dot(float[] a, float[] b) {
    double sum0 = 0;
    double sum1 = 0;
    double sum2 = 0;
    double sum3 = 0;
    int i = 0;
    for (; i + 3 < a.length; i += 4) {
      sum0 += (double) a[i] * b[i];
      sum1 += (double) a[i + 1] * b[i + 1];
      sum2 += (double) a[i + 2] * b[i + 2];
      sum3 += (double) a[i + 3] * b[i + 3];
    }
    for (; i < a.length; i++) {
      sum0 += (double) a[i] * b[i];
    }
    return sum0 + sum1 + sum2 + sum3;
  }

  /** Returns the square of the Euclidean distance. */
  private static double square(float[] a, float[] b) {
    double sum0 = 0;
    double sum1 = 0;
    double sum2 = 0;
    double sum3 = 0;
    int i = 0;
    for (; i + 3 < a.length; i += 4) {
      double difference0 = (double) a[i] - b[i];
      double difference1 = (double) a[i + 1] - b[i + 1];
      double difference2 = (double) a[i + 2] - b[i + 2];
      double difference3 = (double) a[i + 3] - b[i + 3];
      sum0 += difference0 * difference0;
      sum1 += difference1 * difference1;
      sum2 += difference2 * difference2;
      sum3 += difference3 * difference3;
    }
    for (; i < a.length; i++) {
      double difference = (double) a[i] - b[i];
      sum0 += difference * difference;
    }
    return sum0 + sum1 + sum2 + sum3;
  }

  /** Returns the sort key of a score in ORDER BY, which is lower the closer the vectors are. */
  public double rank(double score) {
    return this == EUCLIDEAN ? score : 0.0 - score;
  }
}
