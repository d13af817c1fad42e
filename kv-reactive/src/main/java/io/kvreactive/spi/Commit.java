package io.kvreactive.spi;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An atomic operation. All checks are evaluated against the state before it. If all pass, the
 * mutations are applied in order, each seeing those before it, and then the messages are enqueued,
 * all or none.
 *
 * @param checks the conditions on keys
 * @param rangeChecks the conditions on ranges; in a conflict, their indexes follow those of the
 *     checks
 * @param mutations the changes
 * @param enqueues the messages
 * @param id the commit id, or null. A commit with the id of an earlier one that is still remembered
 *     changes nothing and is answered as the earlier one. The id of a commit without mutations and
 *     messages need not be remembered
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

  /** Creates a commit of checks and changes. */
  public Commit(List<Check> checks, List<Mutation> mutations) {
    this(checks, List.of(), mutations, List.of(), null);
  }

  /** Returns a commit of one unconditional change. */
  public static Commit of(Mutation mutation) {
    return new Commit(List.of(), List.of(mutation));
  }
}
