package io.kvreactive.documents.internal.layout;

import io.kvreactive.documents.internal.path.MemberStep;
import io.kvreactive.documents.internal.path.PathRule;
import io.kvreactive.documents.internal.path.Step;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The included and excluded paths of a policy as a tree of steps. The rules of a node, such as
 * {@link #scalar}, are null where no path of the policy ends.
 */
final class PathRuleTree {
  private static final MemberStep ID = new MemberStep("id");
  private static final MemberStep TS = new MemberStep("_ts");
  private static final MemberStep ETAG = new MemberStep("_etag");

  final Map<Step, PathRuleTree> children = new LinkedHashMap<>();

  /** True if the path with {@code /?} is included; null if the path is in neither list. */
  @Nullable Boolean scalar;

  /** True if the path with {@code /*} is included; null if the path is in neither list. */
  @Nullable Boolean subtree;

  /**
   * True for {@code id} and {@code _ts}, whose scalars are always indexed, regardless of the
   * policy.
   */
  private boolean always;

  /** True for {@code _etag}, which is only included by its own rule. */
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

  /** Returns true if values below this path are indexed unless a deeper rule applies. */
  boolean inherits(boolean inherited) {
    return subtree == null ? inherited : subtree;
  }

  /** Returns true if scalars at this path are indexed. */
  boolean indexesScalar(boolean inherited) {
    if (always) {
      return true;
    }
    if (scalar != null) {
      return scalar;
    }
    return ownRuleOnly ? Boolean.TRUE.equals(subtree) : inherits(inherited);
  }

  /** Returns true if arrays and objects at this path have an entry. */
  boolean indexesContainer(boolean inherited) {
    return ownRuleOnly ? Boolean.TRUE.equals(subtree) : inherits(inherited);
  }

  /** Returns true if each item has an entry at this path, at least an entry for undefined. */
  boolean explicit() {
    if (always || Boolean.TRUE.equals(scalar)) {
      return true;
    }
    return scalar == null && Boolean.TRUE.equals(subtree);
  }

  /** Returns true if items without another entry at this path get an entry for undefined. */
  boolean marksNoEntry() {
    return Boolean.TRUE.equals(scalar);
  }

  /** Returns true if items without a value at this path get an entry for undefined. */
  boolean marksAbsent() {
    return Boolean.TRUE.equals(subtree);
  }
}
