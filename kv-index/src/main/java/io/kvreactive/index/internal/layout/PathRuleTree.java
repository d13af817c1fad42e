package io.kvreactive.index.internal.layout;

import io.kvreactive.index.internal.path.MemberStep;
import io.kvreactive.index.internal.path.PathRule;
import io.kvreactive.index.internal.path.Step;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The included and excluded paths of a policy as a tree of steps. {@link #scalar} and the other two
 * of its own are null where no path of the policy ends.
 */
final class PathRuleTree {
  private static final MemberStep ID = new MemberStep("id");
  private static final MemberStep TS = new MemberStep("_ts");
  private static final MemberStep ETAG = new MemberStep("_etag");

  final Map<Step, PathRuleTree> children = new LinkedHashMap<>();

  /** Whether the path with {@code /?} is included; null if it is in neither list. */
  @Nullable Boolean scalar;

  /** Whether the path with {@code /*} is included; null if it is in neither list. */
  @Nullable Boolean subtree;

  /** {@code id} and {@code _ts}, whose scalars are indexed whatever the policy says. */
  private boolean always;

  /** {@code _etag}, which only an own rule includes. */
  private boolean ownRuleOnly;

  static PathRuleTree of(List<PathRule> included, List<PathRule> excluded) {
    PathRuleTree root = new PathRuleTree();
    root.child(ID).always = true;
    root.child(TS).always = true;
    root.child(ETAG).ownRuleOnly = true;
    included.forEach(rule -> root.add(rule, true));
    excluded.forEach(rule -> root.add(rule, false));
    return root;
  }

  private void add(PathRule rule, boolean include) {
    PathRuleTree node = this;
    for (Step step : rule.path().steps()) {
      node = node.child(step);
    }
    if (rule.subtree()) {
      node.subtree = include;
    } else {
      node.scalar = include;
    }
  }

  private PathRuleTree child(Step step) {
    return children.computeIfAbsent(step, key -> new PathRuleTree());
  }

  /** Whether what is below is indexed where no deeper rule says otherwise. */
  boolean inherits(boolean inherited) {
    return subtree == null ? inherited : subtree;
  }

  /** Whether scalars right here are indexed. */
  boolean indexesScalar(boolean inherited) {
    if (always) {
      return true;
    }
    if (scalar != null) {
      return scalar;
    }
    return ownRuleOnly ? Boolean.TRUE.equals(subtree) : inherits(inherited);
  }

  /** Whether arrays and objects right here have an entry. */
  boolean indexesContainer(boolean inherited) {
    return ownRuleOnly ? Boolean.TRUE.equals(subtree) : inherits(inherited);
  }

  /** Whether each item has an entry right here, if need be that it has nothing. */
  boolean explicit() {
    if (always || Boolean.TRUE.equals(scalar)) {
      return true;
    }
    return scalar == null && Boolean.TRUE.equals(subtree);
  }

  /** Whether items without an entry right here get one that tells undefined. */
  boolean marksNoEntry() {
    return Boolean.TRUE.equals(scalar);
  }

  /** Whether items without a value right here get an entry that tells undefined. */
  boolean marksAbsent() {
    return Boolean.TRUE.equals(subtree);
  }
}
