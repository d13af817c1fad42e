package io.kvreactive.index.internal.layout;

import io.kvreactive.index.internal.path.IndexPath;
import io.kvreactive.index.internal.path.Step;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a new policy changes about range entries. Until the entries of all items are changed, only
 * what both policies index can be used: what is removed is gone at once, what is added must wait.
 */
public final class RangeDelta {
  private final IndexLayout before;
  private final IndexLayout after;
  private boolean adds;
  private boolean removes;

  private RangeDelta(IndexLayout before, IndexLayout after) {
    this.before = before;
    this.after = after;
    PathRuleTree old = before.isNone() ? null : before.rules();
    PathRuleTree fresh = after.isNone() ? null : after.rules();
    compare(old, false, fresh, false);
  }

  public static RangeDelta between(IndexLayout before, IndexLayout after) {
    return new RangeDelta(before, after);
  }

  /** Whether items get entries that they have not, so that there is something to build. */
  public boolean adds() {
    return adds;
  }

  /** Whether items have entries that they should have no more, so that there is some to drop. */
  public boolean removes() {
    return removes;
  }

  public boolean isEmpty() {
    return !adds && !removes;
  }

  /** Whether every scalar at this place has an entry already, and keeps it. */
  public boolean usable(IndexPath path) {
    return before.indexesScalar(path) && after.indexesScalar(path);
  }

  /** Whether every array and object at this place has an entry already, and keeps it. */
  public boolean usableContainer(IndexPath path) {
    return before.indexesContainer(path) && after.indexesContainer(path);
  }

  /** Whether every item has an entry at this place already, and keeps it. */
  public boolean explicit(IndexPath path) {
    return before.explicit(path) && after.explicit(path);
  }

  /** Where both trees end, what is below inherits, and that was compared one step above. */
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
