package io.kvreactive;

import io.kvreactive.internal.shared.ArgumentChecks;
import java.time.Duration;
import org.immutables.value.Value;

/**
 * Options of a change feed. Immutable; start from {@link #DEFAULT}.
 *
 * @param oldValues true if changes carry the previous values; requires a store opened with {@link
 *     KvOptions#withOldValues}. Earlier commits have none
 * @param bookmarkInterval the time without an element after which a feed that has progressed emits
 *     a bookmark; at least 1 ms
 */
@Value.Builder
public record ChangesOptions(boolean oldValues, Duration bookmarkInterval)
    implements WithChangesOptions {
  /** The default: no old values, a bookmark every 5 seconds. */
  public static final ChangesOptions DEFAULT = new ChangesOptions(false, Duration.ofSeconds(5));

  public ChangesOptions {
    ArgumentChecks.atLeast("bookmarkInterval", bookmarkInterval, Duration.ofMillis(1));
  }
}
