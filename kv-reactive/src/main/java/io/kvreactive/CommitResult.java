package io.kvreactive;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of an atomic operation: committed, or a conflict.
 *
 * @param versionstamp the stamp of the commit and of every key that it set; for a commit that
 *     changed nothing, the stamp of the newest commit that it saw; null if not committed
 * @param failedChecks the indexes of <em>all</em> failed checks, ascending, in the order in which
 *     they were added; empty if committed
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

  /** Returns the result of a commit whose checks all passed. */
  public static CommitResult committed(Versionstamp versionstamp) {
    return new CommitResult(versionstamp, List.of());
  }

  /**
   * Returns the result of a commit with failed checks.
   *
   * @param failedChecks the indexes of the failed checks, at least one
   */
  public static CommitResult conflict(List<Integer> failedChecks) {
    return new CommitResult(null, failedChecks);
  }

  /** Returns true if every check passed, so that all mutations are applied. */
  public boolean committed() {
    return versionstamp != null;
  }
}
