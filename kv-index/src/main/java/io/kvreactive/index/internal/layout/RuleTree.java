package io.kvreactive.index.internal.layout;

import io.kvreactive.index.internal.path.Label;
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
final class RuleTree {
  private static final Label ID = new Label("id");
  private static final Label TS = new Label("_ts");
  private static final Label ETAG = new Label("_etag");

  final Map<Step, RuleTree> children = new LinkedHashMap<>();

  /** Whether the path with {@code /?} is included; null if it is in neither list. */
  @Nullable Boolean scalar;

  /** Whether the path with {@code /*} is included; null if it is in neither list. */
  @Nullable Boolean subtree;

  /** {@code id} and {@code _ts}, whose scalars are indexed whatever the policy says. */
  private boolean always;

  /** {@code _etag}, which only an own rule includes. */
  private boolean ownRuleOnly;

  static RuleTree of(List<PathRule> included, List<PathRule> excluded) {
    RuleTree root = new RuleTree();
    root.child(ID).always = true;
    root.child(TS).always = true;
    root.child(ETAG).ownRuleOnly = true;
    included.forEach(rule -> root.add(rule, true));
    excluded.forEach(rule -> root.add(rule, false));
    return root;
  }

  private void add(PathRule rule, boolean include) {
    RuleTree node = this;
    for (Step step : rule.path().steps()) {
      node = node.child(step);
    }
    if (rule.subtree()) {
      node.subtree = include;
    } else {
      node.scalar = include;
    }
  }

  private RuleTree child(Step step) {
    return children.computeIfAbsent(step, key -> new RuleTree());
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
}
