package io.kvreactive;

import org.jspecify.annotations.Nullable;

/**
 * The range that a sum must stay in.
 *
 * @param <N> the kind of number
 * @param min inclusive, or null for none
 * @param max inclusive, or null for none
 * @param clamp true if a sum outside is set to the bound; else it fails the commit
 */
public record SumBounds<N extends Number>(@Nullable N min, @Nullable N max, boolean clamp) {
  /** Any sum. */
  public static <N extends Number> SumBounds<N> none() {
    return new SumBounds<>(null, null, false);
  }

  /** Sums from {@code min} to {@code max}; others fail the commit with OUT_OF_RANGE. */
  public static <N extends Number> SumBounds<N> within(@Nullable N min, @Nullable N max) {
    return new SumBounds<>(min, max, false);
  }

  /** Sums are set to the nearest number from {@code min} to {@code max}. */
  public static <N extends Number> SumBounds<N> clamped(@Nullable N min, @Nullable N max) {
    return new SumBounds<>(min, max, true);
  }
}
