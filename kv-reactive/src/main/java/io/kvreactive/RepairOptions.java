package io.kvreactive;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The repairs to make on a store that is closed; see {@link Kv#repair}. Immutable; start from
 * {@link #INSPECT}.
 *
 * @param apply true to make the repairs; otherwise the report says what they would change
 * @param clock the time to set the store's clock to, or null
 * @param deleteKeys the malformed keys to delete
 * @param cutTail true to cut off the log at its first damage, giving up the commits behind it
 */
public record RepairOptions(
    boolean apply, @Nullable Instant clock, List<KvKey> deleteKeys, boolean cutTail) {
  /** No repair: the report says what could be repaired. */
  public static final RepairOptions INSPECT = new RepairOptions(false, null, List.of(), false);

  private static final Instant MAX_CLOCK = Instant.parse("9999-12-31T23:59:59.999Z");

  /**
   * @throws KvException INVALID_ARGUMENT for a time before 1970 or after 9999
   */
  public RepairOptions {
    deleteKeys = List.copyOf(deleteKeys);
    if (clock != null && (clock.isBefore(Instant.EPOCH) || clock.isAfter(MAX_CLOCK))) {
      throw new KvException(
          KvErrorCode.INVALID_ARGUMENT,
          "clock: %s (expected: %s to %s)".formatted(clock, Instant.EPOCH, MAX_CLOCK));
    }
  }

  /** Returns these options with the repairs made, or only reported. */
  public RepairOptions withApply(boolean value) {
    return new RepairOptions(value, clock, deleteKeys, cutTail);
  }

  /** Returns these options with a time to set the store's clock to. */
  public RepairOptions withClock(@Nullable Instant value) {
    return new RepairOptions(apply, value, deleteKeys, cutTail);
  }

  /** Returns these options with malformed keys to delete. */
  public RepairOptions withDeleteKeys(List<KvKey> keys) {
    return new RepairOptions(apply, clock, keys, cutTail);
  }

  /** Returns these options with the log cut off at its first damage, or not. */
  public RepairOptions withCutTail(boolean value) {
    return new RepairOptions(apply, clock, deleteKeys, value);
  }
}
