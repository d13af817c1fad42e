package io.kvreactive.documents.internal.layout;

import io.kvreactive.documents.internal.path.IndexPath;
import io.kvreactive.documents.internal.path.Step;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The difference in range entries between two policies. */
public final class RangeDelta {
  private boolean adds;
  private boolean removes;

  private RangeDelta(IndexLayout before, IndexLayout after) {
    PathRuleTree old = before.isNone() ? null : before.rules();
    PathRuleTree fresh = after.isNone() ? null : after.rules();
    compare(old, false, fresh, false);
    Set<String> labels = new HashSet<>(before.ownRules());
    labels.addAll(after.ownRules());
    for (String label : labels) {
      // rules may be equal although another query computes the values
      if (old != null && fresh != null && !before.agreesOn(IndexPath.of(label), after)) {
        adds = true;
        removes = true;
      }
    }
  }

  public static RangeDelta between(IndexLayout before, IndexLayout after) {
    return new RangeDelta(before, after);
  }

  /** Returns true if items get new entries, so that an index must be built. */
  public boolean adds() {
    return adds;
  }

  /** Returns true if items have surplus entries, so that entries must be dropped. */
  public boolean removes() {
    return removes;
  }

  public boolean isEmpty() {
    return !adds && !removes;
  }

  /**
   * Compares two nodes. Below the ends of both trees the rules are inherited, which the comparison
   * one step above covers.
   */
  private void compare(
      @Nullable PathRuleTree old,
      boolean oldAbove,
      @Nullable PathRuleTree fresh,
      boolean freshAbove) {
    boolean oldBelow = old == null ? oldAbove : old.inherits(oldAbove);
    boolean freshBelow = fresh == null ? freshAbove : fresh.inherits(freshAbove);
    changed(oldBelow, freshBelow);
    changed(
        old == null ? oldAbove : old.indexesScalar(oldAbove),
        fresh == null ? freshAbove : fresh.indexesScalar(freshAbove));
    changed(
        old == null ? oldAbove : old.indexesContainer(oldAbove),
        fresh == null ? freshAbove : fresh.indexesContainer(freshAbove));
    changed(old != null && old.explicit(), fresh != null && fresh.explicit());
    changed(old != null && old.marksNoEntry(), fresh != null && fresh.marksNoEntry());
    changed(old != null && old.marksAbsent(), fresh != null && fresh.marksAbsent());
    Set<Step> steps = new HashSet<>();
    if (old != null) {
      steps.addAll(old.children.keySet());
    }
    if (fresh != null) {
      steps.addAll(fresh.children.keySet());
    }
    for (Step step : steps) {
      compare(
          old == null ? null : old.children.get(step),
          oldBelow,
          fresh == null ? null : fresh.children.get(step),
          freshBelow);
    }
  }

  private void changed(boolean was, boolean is) {
    adds |= is && !was;
    removes |= was && !is;
  }
}
