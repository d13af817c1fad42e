package io.kvreactive;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of {@link KvStores#repair}: the findings, and the changes that were or would be made.
 *
 * @param damage the damage for which the store cannot be opened, with file and offset, or null. If
 *     it is not null, the following five are not known
 * @param time the time of the last commit, by the store's clock, or null for a store without
 *     commits
 * @param wallTime the time of the wall clock
 * @param unreadableKeys the number of malformed keys
 * @param firstUnreadableKeys the first 100 of them
 * @param changes the changes that were made, or would be, one sentence each
 * @param applied true if they were made
 */
public record RepairReport(
    @Nullable String damage,
    @Nullable Instant time,
    Instant wallTime,
    long unreadableKeys,
    List<KvKey> firstUnreadableKeys,
    List<String> changes,
    boolean applied) {
  private static final Duration MUCH = Duration.ofHours(1);

  public RepairReport {
    firstUnreadableKeys = List.copyOf(firstUnreadableKeys);
    changes = List.copyOf(changes);
  }

  /** Returns true if the time of the last commit is ahead of the wall clock by over an hour. */
  public boolean isClockAhead() {
    return time != null && Duration.between(wallTime, time).compareTo(MUCH) > 0;
  }

  /** Returns true if there was nothing to repair. */
  public boolean isSound() {
    return damage == null && unreadableKeys == 0 && !isClockAhead();
  }
}
