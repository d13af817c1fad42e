package io.kvreactive.spi;

import java.util.List;

/**
 * An atomic operation: all checks are evaluated against the state before it; when all hold, the
 * mutations are applied in order, each seeing those before it, all or none.
 *
 * @param checks the conditions
 * @param mutations the changes
 */
public record Commit(List<Check> checks, List<Mutation> mutations) {
  public Commit {
    checks = List.copyOf(checks);
    mutations = List.copyOf(mutations);
  }

  /** A commit of one unconditional change. */
  public static Commit of(Mutation mutation) {
    return new Commit(List.of(), List.of(mutation));
  }
}
