package io.kvreactive.postgres.internal;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.Versionstamp;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The history of the store and the newest version that this engine has seen. A database that is
 * behind it has lost commits, as a promoted standby may have. Thread-safe.
 */
final class KnownHead {
  private final UUID history;
  private final AtomicLong newest;

  KnownHead(UUID history, long version) {
    this.history = history;
    this.newest = new AtomicLong(version);
  }

  UUID history() {
    return history;
  }

  long newest() {
    return newest.get();
  }

  /** Notes a version that the database has. */
  void see(long version) {
    newest.accumulateAndGet(version, Math::max);
  }

  /**
   * Checks a version that was read after {@code seen} was known, and notes it.
   *
   * @throws KvException IO_FAILED if the database does not have all that it had
   */
  void check(long version, long seen) {
    if (version < seen) {
      throw new KvException(
          KvErrorCode.IO_FAILED,
          "the database has lost commits: its newest is %s (expected: at least %s)"
              .formatted(Versionstamp.of(version), Versionstamp.of(seen)));
    }
    see(version);
  }

  /**
   * Checks that the store has the same history.
   *
   * @throws KvException IO_FAILED
   */
  void check(UUID found) {
    if (!found.equals(history)) {
      throw new KvException(
          KvErrorCode.IO_FAILED,
          "the store has another history, %s (expected: %s); open it again"
              .formatted(found, history));
    }
  }
}
