package io.kvreactive.web.internal.http;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The parts of a budget that the callers have: each can take at most a maximum, so that one caller
 * leaves some to the others. A caller has a part while it has shares. Thread-safe.
 */
final class CallerBudgets {
  private final ByteBudget all;
  private final String what;
  private final long most;
  private final Map<String, Part> parts = new ConcurrentHashMap<>();

  private static final class Part {
    private final ByteBudget budget;
    private int shares; // modified by compute() only

    Part(ByteBudget budget) {
      this.budget = budget;
    }
  }

  /**
   * Creates the parts of a budget.
   *
   * @param what the use of the bytes of one caller, for messages
   * @param most the maximum number of bytes of one caller
   */
  CallerBudgets(ByteBudget all, String what, long most) {
    this.all = all;
    this.what = what;
    this.most = most;
  }

  /** Returns a new share of the part of a caller. The share must be released. */
  ByteBudget.Share share(String caller) {
    Part part =
        parts.compute(
            caller,
            (key, known) -> {
              Part found = known == null ? new Part(all.part(what, most)) : known;
              found.shares++;
              return found;
            });
    return part.budget.share(
        () -> parts.computeIfPresent(caller, (key, its) -> --its.shares == 0 ? null : its));
  }
}
