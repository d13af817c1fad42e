package io.kvreactive.documents.internal.layout;

import io.kvreactive.documents.internal.path.IndexPath;
import io.kvreactive.documents.internal.path.MemberStep;
import io.kvreactive.documents.internal.path.Step;
import io.kvreactive.documents.internal.path.WildcardStep;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A path that items have, with the policy's rule for the path and the prefix of its keys. Nodes are
 * cached, so that most items find theirs. Names come from users, so that the number of cached nodes
 * is bounded.
 */
final class PathNode {
  /** Maximum number of nodes that a layout caches in addition to those of its policy. */
  static final int MAX_KEPT = 10_000;

  /** Maximum number of characters in the path of a cached node. Bounds the memory of all nodes. */
  static final int MAX_KEPT_TEXT = 512;

  private final Kept kept;
  private final String text;
  private final boolean inherited;
  private final boolean indexesScalar;
  private final boolean indexesContainer;
  private final boolean open;
  private final boolean markIfNoEntry;
  private final boolean markIfAbsent;
  private final int marker;
  private final Map<String, PathNode> children = new ConcurrentHashMap<>();
  private volatile @Nullable PathNode elements;
  private volatile byte @Nullable [] prefix;

  /** True if this node is cached. Nodes that are not cached do not cache any nodes below. */
  private boolean isKept;

  private PathNode(Kept kept, String text, @Nullable PathRuleTree rule, boolean above) {
    this.kept = kept;
    this.text = text;
    boolean isRoot = text.isEmpty();
    inherited = rule == null ? above : rule.inherits(above);
    indexesScalar = !isRoot && (rule == null ? above : rule.indexesScalar(above));
    indexesContainer = !isRoot && (rule == null ? above : rule.indexesContainer(above));
    open = inherited || rule != null && !rule.children.isEmpty();
    markIfNoEntry = !isRoot && rule != null && rule.marksNoEntry();
    markIfAbsent = !isRoot && rule != null && rule.marksAbsent();
    isKept = rule != null;
    marker = markIfNoEntry || markIfAbsent ? kept.marked.size() : -1;
    if (marker >= 0) {
      kept.marked.add(this);
    }
    if (rule != null) {
      rule.children.forEach(this::keepRule);
    }
  }

  static PathNode root(PathRuleTree rules) {
    return new PathNode(new Kept(), "", rules, false);
  }

  private void keepRule(Step step, PathRuleTree rule) {
    PathNode child = new PathNode(kept, text + '/' + step.text(), rule, inherited);
    if (step instanceof MemberStep label) {
      children.put(label.name(), child);
    } else {
      elements = child;
    }
  }

  /** Returns the node of a member, or null if nothing at or below that node is indexed. */
  @Nullable PathNode member(String name) {
    PathNode child = children.get(name);
    if (child != null || !inherited) {
      return child;
    }
    // The length is checked before the text is built: a name may be as long as an item.
    if (text.length() + 1 + name.length() > IndexPath.MAX_TEXT) {
      return null;
    }
    child = below(new MemberStep(name));
    if (child != null && isKept && kept.mayKeep(child)) {
      PathNode other = children.putIfAbsent(name, child);
      return other == null ? child : other;
    }
    return child;
  }

  /** Returns the node of the elements, or null if nothing at or below that node is indexed. */
  @Nullable PathNode elements() {
    PathNode child = elements;
    if (child == null && inherited) {
      child = below(WildcardStep.ELEMENTS);
      if (child != null && isKept && kept.mayKeep(child)) {
        elements = child;
      }
    }
    return child;
  }

  private @Nullable PathNode below(Step step) {
    String childText = text + '/' + step.text();
    return childText.length() > IndexPath.MAX_TEXT
        ? null
        : new PathNode(kept, childText, null, inherited);
  }

  /** Returns the canonical text of the path. */
  String text() {
    return text;
  }

  /** Returns the prefix of all keys of entries at this path. */
  byte[] prefix() {
    byte[] encoded = prefix;
    if (encoded == null) {
      // Two threads may compute the prefix concurrently, with equal results.
      encoded = EntryKeys.pathPrefix(text);
      prefix = encoded;
    }
    return encoded;
  }

  boolean indexesScalar() {
    return indexesScalar;
  }

  boolean indexesContainer() {
    return indexesContainer;
  }

  /** Returns true if anything below this path can be indexed. */
  boolean isOpen() {
    return open;
  }

  /**
   * Returns the position of this path among those that mark items without values, or -1 if this
   * path does not.
   */
  int marker() {
    return marker;
  }

  boolean markIfNoEntry() {
    return markIfNoEntry;
  }

  boolean markIfAbsent() {
    return markIfAbsent;
  }

  /** Returns all paths of the policy that mark items without values, by {@link #marker}. */
  List<PathNode> marked() {
    return kept.marked;
  }

  /** The shared cache of a layout's nodes. */
  private static final class Kept {
    final List<PathNode> marked = new ArrayList<>();
    private final AtomicInteger count = new AtomicInteger();

    boolean mayKeep(PathNode node) {
      node.isKept =
          node.text.length() <= MAX_KEPT_TEXT
              && count.get() < MAX_KEPT
              && count.getAndIncrement() < MAX_KEPT;
      return node.isKept;
    }
  }
}
