package io.kvreactive.internal.api.bulk;

import io.kvreactive.CommitResult;
import io.kvreactive.KvLimits;
import io.kvreactive.internal.value.MutationSize;
import io.kvreactive.spi.Check;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.Enqueue;
import io.kvreactive.spi.Mutation;
import io.kvreactive.spi.RangeCheck;
import java.util.ArrayList;
import java.util.List;

/**
 * Splits a sequence of checks and changes into commits that fit the limits. A check stays with the
 * change after it. A change that exceeds the limits alone becomes a commit of its own, which the
 * engine rejects.
 */
public final class CommitPacker {
  private final KvLimits limits;
  private final List<Packed> packed = new ArrayList<>();
  private Part commit = new Part();
  private Part next = new Part(); // checks that wait for their change
  private int checks;

  public CommitPacker(KvLimits limits) {
    this.limits = limits;
  }

  /**
   * A commit with the numbers of its checks.
   *
   * @param checks the numbers of its checks: first those of keys, then those of ranges
   */
  public record Packed(Commit commit, List<Integer> checks) {
    /** Returns a result whose failed checks are numbered among all checks of the sequence. */
    public CommitResult numbered(CommitResult result) {
      return result.committed()
          ? result
          : CommitResult.conflict(
              result.failedChecks().stream().map(checks::get).sorted().toList());
    }
  }

  private static final class Part {
    private final List<Check> checks = new ArrayList<>();
    private final List<RangeCheck> rangeChecks = new ArrayList<>();
    private final List<Mutation> mutations = new ArrayList<>();
    private final List<Enqueue> enqueues = new ArrayList<>();
    private final List<Integer> checkNumbers = new ArrayList<>();
    private final List<Integer> rangeCheckNumbers = new ArrayList<>();
    private long bytes;
    private long keyBytes;
    private long work;
    private int rangeDeletions;

    void addAll(Part other) {
      checks.addAll(other.checks);
      rangeChecks.addAll(other.rangeChecks);
      mutations.addAll(other.mutations);
      enqueues.addAll(other.enqueues);
      checkNumbers.addAll(other.checkNumbers);
      rangeCheckNumbers.addAll(other.rangeCheckNumbers);
      bytes += other.bytes;
      keyBytes += other.keyBytes;
      work += other.work;
      rangeDeletions += other.rangeDeletions;
    }

    int allChecks() {
      return checks.size() + rangeChecks.size();
    }

    boolean isEmpty() {
      return allChecks() + changes() == 0;
    }

    int changes() {
      return mutations.size() + enqueues.size();
    }

    Packed packed() {
      List<Integer> numbers = new ArrayList<>(checkNumbers);
      numbers.addAll(rangeCheckNumbers);
      return new Packed(new Commit(checks, rangeChecks, mutations, enqueues, null), numbers);
    }
  }

  /** Adds a check of a key. */
  public void add(Check check) {
    next.checks.add(check);
    next.checkNumbers.add(checks++);
    next.bytes += check.key().length;
    next.work += MutationSize.CHECK_WORK;
  }

  /** Adds a check of a range. */
  public void add(RangeCheck check) {
    next.rangeChecks.add(check);
    next.rangeCheckNumbers.add(checks++);
    next.bytes += (long) check.start().length + check.end().length;
    next.work += MutationSize.RANGE_CHECK_WORK;
  }

  /** Adds a change. */
  public void add(Mutation mutation) {
    next.mutations.add(mutation);
    next.bytes += MutationSize.bytes(mutation);
    next.keyBytes += MutationSize.keyBytes(mutation);
    next.work += MutationSize.work(mutation);
    next.rangeDeletions += mutation instanceof Mutation.DeleteRange ? 1 : 0;
    addNext();
  }

  /** Adds a message. */
  public void add(Enqueue enqueue) {
    next.enqueues.add(enqueue);
    next.bytes += MutationSize.bytes(enqueue);
    next.work += MutationSize.work(enqueue);
    addNext();
  }

  private void addNext() {
    if (!commit.isEmpty() && !fits()) {
      packed.add(commit.packed());
      commit = new Part();
    }
    commit.addAll(next);
    next = new Part();
  }

  private boolean fits() {
    return commit.allChecks() + next.allChecks() <= limits.maxChecks()
        && commit.changes() + next.changes() <= limits.maxMutations()
        && commit.bytes + next.bytes <= limits.maxCommitBytes()
        && commit.keyBytes + next.keyBytes <= limits.maxCommitKeyBytes()
        && commit.work + next.work <= limits.maxCommitWork()
        && commit.rangeDeletions + next.rangeDeletions <= limits.maxRangeDeletions();
  }

  /** Returns the commits. Must be called once, after everything has been added. */
  public List<Packed> finish() {
    if (!next.isEmpty()) {
      addNext();
    }
    if (!commit.isEmpty()) {
      packed.add(commit.packed());
    }
    return packed;
  }
}
