package io.kvreactive;

import io.kvreactive.internal.shared.ArgumentChecks;
import java.time.Instant;
import java.util.List;
import org.immutables.value.Value;
import org.jspecify.annotations.Nullable;

/**
 * The repairs to make on a store that is closed; see {@link KvStores#repair}. Immutable; start from
 * {@link #INSPECT}.
 *
 * @param apply true to make the repairs; otherwise the report lists what they would change
 * @param clock the time to which the store's clock is set, or null
 * @param deleteKeys the malformed keys to delete
 * @param cutTail true to cut off the log at its first damage, which loses the commits after it
 */
@Value.Builder
public record RepairOptions(
    boolean apply, @Nullable Instant clock, List<KvKey> deleteKeys, boolean cutTail)
    implements WithRepairOptions {
  /** No repair: the report lists what could be repaired. */
  public static final RepairOptions INSPECT = new RepairOptions(false, null, List.of(), false);

  private static final Instant MAX_CLOCK = Instant.parse("9999-12-31T23:59:59.999Z");

  /**
   * Checks the options.
   *
   * @throws KvException INVALID_ARGUMENT for a time before 1970 or after 9999
   */
  public RepairOptions {
    deleteKeys = List.copyOf(deleteKeys);
    if (clock != null) {
      ArgumentChecks.check(
          !clock.isBefore(Instant.EPOCH) && !clock.isAfter(MAX_CLOCK),
          "clock",
          clock,
          Instant.EPOCH + " to " + MAX_CLOCK);
    }
  }
}
