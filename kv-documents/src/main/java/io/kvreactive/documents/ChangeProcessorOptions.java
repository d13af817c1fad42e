package io.kvreactive.documents;

import io.kvreactive.KvException;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.shared.ArgumentChecks;
import java.time.Duration;
import org.immutables.value.Value;
import org.jspecify.annotations.Nullable;

/**
 * Options of a {@link ChangeProcessor}. Immutable; start from {@link #DEFAULT}.
 *
 * @param mode the changes that handlers receive
 * @param since the position at which a new group starts; null for changes after the first start. A
 *     group that exists continues where it stopped
 * @param ranges the number of ranges of partition keys that the members of a new group share, 1 to
 *     1024; at most so many members have work. A group that exists keeps its number
 * @param batchItems the maximum number of changes of one call of the handler, 1 to 10,000
 * @param leaseDuration the time after which the ranges of a member that has crashed are taken over,
 *     at least 100 ms
 * @param minBackoff the pause before a batch is handled again after the handler has failed, at
 *     least 1 ms; doubled after each further failure
 * @param maxBackoff the longest pause, at least {@code minBackoff}
 */
@Value.Builder
public record ChangeProcessorOptions(
    ChangeFeedOptions.Mode mode,
    @Nullable Versionstamp since,
    int ranges,
    int batchItems,
    Duration leaseDuration,
    Duration minBackoff,
    Duration maxBackoff)
    implements WithChangeProcessorOptions {

  /** Latest versions, 8 ranges, 100 changes a batch, leases of 15 s, pauses of 100 ms to 30 s. */
  public static final ChangeProcessorOptions DEFAULT =
      new ChangeProcessorOptionsBuilder()
          .mode(ChangeFeedOptions.Mode.LATEST)
          .ranges(8)
          .batchItems(100)
          .leaseDuration(Duration.ofSeconds(15))
          .minBackoff(Duration.ofMillis(100))
          .maxBackoff(Duration.ofSeconds(30))
          .build();

  /**
   * Validates the options.
   *
   * @throws KvException INVALID_ARGUMENT if a value is out of its range
   */
  public ChangeProcessorOptions {
    ArgumentChecks.between("ranges", ranges, 1, 1024);
    ArgumentChecks.between("batchItems", batchItems, 1, 10_000);
    ArgumentChecks.atLeast("leaseDuration", leaseDuration, Duration.ofMillis(100));
    ArgumentChecks.atLeast("minBackoff", minBackoff, Duration.ofMillis(1));
    ArgumentChecks.atLeast("maxBackoff", maxBackoff, minBackoff);
  }
}
