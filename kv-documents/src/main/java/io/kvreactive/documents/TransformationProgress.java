package io.kvreactive.documents;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The progress of a change of a collection's indexes. The lag of a lazy collection's indexes is not
 * included: see {@code indexLag} of an {@link Explanation}.
 *
 * @param policyVersion the number of the definition that is being put into effect, from 1
 * @param percent the progress from 0 to 100; 100 if nothing is left to do. It never decreases for
 *     the same definition
 * @param jobs the unfinished jobs; empty at 100
 */
public record TransformationProgress(int policyVersion, int percent, List<Job> jobs) {
  public TransformationProgress {
    jobs = List.copyOf(jobs);
  }

  /** Returns true if the change is complete. */
  public boolean isComplete() {
    return percent == 100;
  }

  /**
   * A job that builds or removes one index.
   *
   * @param index {@code range} for the indexes of all single paths together, {@code composite#3},
   *     {@code tuple#4}, {@code ttl} for the index of expiry times; {@code pending} for the backlog
   *     of a lazy collection, which is indexed before its definition changes
   * @param done the number of items indexed, or entries removed
   * @param total the number of items or entries at the start
   * @param error the reason of the failure; null if the job has not failed
   * @param definition the definition of a numbered index, such as {@code tuple /tags/[]/{name,
   *     at}/?}; null for other indexes, and for one whose removal an earlier version has started
   */
  public record Job(
      String index,
      IndexState state,
      long done,
      long total,
      Instant startedAt,
      @Nullable String error,
      @Nullable String definition) {
    /** Creates a job whose index has no number. */
    public Job(
        String index,
        IndexState state,
        long done,
        long total,
        Instant startedAt,
        @Nullable String error) {
      this(index, state, done, total, startedAt, error, null);
    }

    /**
     * Returns the estimated remaining time, at the average pace since the start. After an
     * interruption of the build the estimate is too long.
     *
     * @return the remaining time; null before any progress, and after a failure
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
