package io.kvreactive;

import org.jspecify.annotations.Nullable;

/**
 * The bounds of a sum.
 *
 * @param <N> the kind of number
 * @param min the inclusive minimum, or null for none
 * @param max the inclusive maximum, or null for none
 * @param clamp true to set a sum outside the bounds to the nearest bound; false to fail the commit
 */
public record SumBounds<N extends Number>(@Nullable N min, @Nullable N max, boolean clamp) {
  /** Returns bounds that allow any sum. */
  public static <N extends Number> SumBounds<N> none() {
    return new SumBounds<>(null, null, false);
  }

  /** Returns bounds that fail the commit with OUT_OF_RANGE if the sum is outside of them. */
  public static <N extends Number> SumBounds<N> within(@Nullable N min, @Nullable N max) {
    return new SumBounds<>(min, max, false);
  }

  /** Returns bounds that set a sum outside of them to the nearest bound. */
  public static <N extends Number> SumBounds<N> clamped(@Nullable N min, @Nullable N max) {
    return new SumBounds<>(min, max, true);
  }
}
