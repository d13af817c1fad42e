package io.kvreactive.index;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How far a change of a collection's indexes has come. That the indexes of a lazy collection lag is
 * no such change: {@code indexLag} of an {@link Explanation} tells it.
 *
 * @param policyVersion which definition is being put into effect; counts from 1
 * @param percent from 0 to 100; 100 when nothing is left to do. It never falls while the definition
 *     stays the same
 * @param jobs what is being done; empty at 100
 */
public record TransformationProgress(int policyVersion, int percent, List<Job> jobs) {
  public TransformationProgress {
    jobs = List.copyOf(jobs);
  }

  /** Whether everything is done. */
  public boolean isComplete() {
    return percent == 100;
  }

  /**
   * One index that is being built or removed.
   *
   * @param index {@code range} for those of all single paths together, {@code composite#3}, {@code
   *     tuple#4}, {@code ttl} for when items expire; {@code pending} for what is not in the indexes
   *     of a lazy collection yet, which comes before its definition is changed
   * @param done items walked, or entries removed
   * @param total how many there were when it began
   * @param error why it failed; null while it has not
   */
  public record Job(
      String index,
      IndexState state,
      long done,
      long total,
      Instant startedAt,
      @Nullable String error) {
    /**
     * About how long it takes yet, at the pace since it began: that of a build that was cut off for
     * a while is told as slower than it is.
     *
     * @return null while nothing is done, and for one that has failed
     */
    public @Nullable Duration remaining(Instant now) {
      if (done <= 0 || error != null) {
        return null;
      }
      long elapsed = Math.max(0, Duration.between(startedAt, now).toMillis());
      return Duration.ofMillis((long) ((double) elapsed / done * Math.max(0, total - done)));
    }
  }
}
