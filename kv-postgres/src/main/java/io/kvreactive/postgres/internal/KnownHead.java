package io.kvreactive.postgres.internal;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.Versionstamp;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The history of the store, the newest version that this engine has seen, and the versions that
 * failovers have skipped. Thread-safe.
 */
final class KnownHead {
  private final UUID history;
  private final AtomicLong newest;
  private volatile List<Skip> skips = List.of();
  private volatile @Nullable KvException refusal;

  /**
   * Versions that no commit of this history has: those between two versions, both exclusive.
   * Commits that a failover has lost may have had them.
   */
  record Skip(long after, long next) {
    boolean has(long version) {
      return after < version && version < next;
    }
  }

  /** A server that does not have what this engine has seen, such as a former primary. */
  static final class StaleServerException extends RuntimeException {
    private static final long serialVersionUID = 1;

    StaleServerException(String message) {
      super(message);
    }
  }

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
   * @throws StaleServerException if the server does not have all that this engine has seen
   * @throws KvException IO_FAILED if the store is refused
   */
  void check(long version, long seen) {
    checkAccepted();
    if (version < seen) {
      throw new StaleServerException(
          "the server is behind: its newest is %s (expected: at least %s)"
              .formatted(Versionstamp.of(version), Versionstamp.of(seen)));
    }
    see(version);
  }

  /**
   * Checks that the store has the same history, and refuses the store from then on if not.
   *
   * @throws KvException IO_FAILED
   */
  void check(UUID found) {
    checkAccepted();
    if (!found.equals(history)) {
      throw refuse(
          "the store has another history, %s (expected: %s); open it again"
              .formatted(found, history));
    }
  }

  /** Refuses the store: all checks fail from now on. Returns the first refusal. */
  synchronized KvException refuse(String reason) {
    KvException first = refusal;
    if (first == null) {
      first = new KvException(KvErrorCode.IO_FAILED, reason);
      refusal = first;
    }
    return first;
  }

  /** Returns true if all checks fail. */
  boolean isRefused() {
    return refusal != null;
  }

  /**
   * Checks that the store is not refused.
   *
   * @throws KvException IO_FAILED
   */
  void checkAccepted() {
    KvException refused = refusal;
    if (refused != null) {
      throw refused;
    }
  }

  /** Notes the skipped versions. */
  void skipped(List<Skip> all) {
    skips = List.copyOf(all);
  }

  /** Returns the skipped versions that contain a version, or null if it is not skipped. */
  @Nullable Skip skipOf(long version) {
    for (Skip skip : skips) {
      if (skip.has(version)) {
        return skip;
      }
    }
    return null;
  }

  /** Returns the version that is {@code count} versions later, not counting skipped ones. */
  long later(long version, long count) {
    for (Skip skip : skips) {
      if (version < skip.next && skip.after <= version + count) {
        return skip.next + count;
      }
    }
    return version + count;
  }
}
