package io.kvreactive.spi;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An atomic operation: all checks are evaluated against the state before it; when all hold, the
 * mutations are applied in order, each seeing those before it, and then the messages are enqueued,
 * all or none.
 *
 * @param checks the conditions on keys
 * @param rangeChecks the conditions on ranges; in what a conflict tells, their indexes follow those
 *     of the checks
 * @param mutations the changes
 * @param enqueues the messages
 * @param id when not null, a commit with the id of one that was committed before, and is still
 *     remembered, does nothing and answers what that one did; that of a commit without mutations
 *     and messages need not be remembered
 */
public record Commit(
    List<Check> checks,
    List<RangeCheck> rangeChecks,
    List<Mutation> mutations,
    List<Enqueue> enqueues,
    @Nullable String id) {
  public Commit {
    checks = List.copyOf(checks);
    rangeChecks = List.copyOf(rangeChecks);
    mutations = List.copyOf(mutations);
    enqueues = List.copyOf(enqueues);
  }

  /** A commit of checks and changes. */
  public Commit(List<Check> checks, List<Mutation> mutations) {
    this(checks, List.of(), mutations, List.of(), null);
  }

  /** Returns a commit of one unconditional change. */
  public static Commit of(Mutation mutation) {
    return new Commit(List.of(), List.of(mutation));
  }
}
