package io.kvreactive;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of an atomic operation: committed, or a conflict.
 *
 * @param versionstamp the stamp of the commit and of every key it set; of a commit that changed
 *     nothing, that of the newest commit which it has seen, or null if not committed
 * @param failedChecks the indexes of <em>all</em> failed checks, ascending, in the order in which
 *     they were added; empty when committed
 */
public record CommitResult(@Nullable Versionstamp versionstamp, List<Integer> failedChecks) {
  public CommitResult {
    failedChecks = List.copyOf(failedChecks);
    if ((versionstamp == null) == failedChecks.isEmpty()) {
      throw new KvException(
          KvErrorCode.INVALID_ARGUMENT,
          "versionstamp: "
              + versionstamp
              + ", failed checks: "
              + failedChecks
              + " (expected: one of them)");
    }
  }

  /** Returns the result of a commit whose checks all held. */
  public static CommitResult committed(Versionstamp versionstamp) {
    return new CommitResult(versionstamp, List.of());
  }

  /** Returns the result of a commit of which these checks failed, at least one. */
  public static CommitResult conflict(List<Integer> failedChecks) {
    return new CommitResult(null, failedChecks);
  }

  /** Returns true if every check held, so that all mutations are applied and durable. */
  public boolean committed() {
    return versionstamp != null;
  }
}
