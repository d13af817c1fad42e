package io.kvreactive.documents.internal.layout;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.internal.path.IndexPath;
import io.kvreactive.documents.internal.path.MemberStep;
import io.kvreactive.documents.internal.path.Step;
import io.kvreactive.documents.internal.path.WildcardStep;
import io.kvreactive.documents.internal.value.Values;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The paths of a composite or tuple index as a tree, which computes an item's rows of values in the
 * index. Paths through the same array take the values of the same element; different arrays
 * multiply. An empty array, or a value that is not an array, gives one row without values.
 */
final class PathTree implements EntryRows {
  /** Maximum number of rows of one item. More rows are not worth their space. */
  static final int MAX_ROWS = 1000;

  private final int width;
  private final Node root;

  private PathTree(int width, Node root) {
    this.width = width;
    this.root = root;
  }

  static PathTree of(CompositeIndex index) {
    return of(index.components().stream().map(CompositeComponent::path).toList());
  }

  static PathTree of(TupleIndex index) {
    IndexPath elements = index.array().then(WildcardStep.ELEMENTS);
    List<IndexPath> paths = new ArrayList<>();
    for (IndexPath member : index.members()) {
      List<Step> steps = new ArrayList<>(elements.steps());
      steps.addAll(member.steps());
      paths.add(new IndexPath(steps));
    }
    return of(paths);
  }

  static PathTree of(List<IndexPath> paths) {
    Node root = new Node();
    for (int i = 0; i < paths.size(); i++) {
      Node node = root;
      for (Step step : paths.get(i).steps()) {
        node = node.children.computeIfAbsent(step, key -> new Node());
      }
      node.columns.add(i);
    }
    return new PathTree(paths.size(), root);
  }

  @Override
  public boolean addMembers(Set<String> names) {
    for (Step step : root.children.keySet()) {
      if (!(step instanceof MemberStep member)) {
        return false;
      }
      names.add(member.name());
    }
    return root.columns.isEmpty();
  }

  @Override
  public @Nullable List<JsonNode[]> rows(JsonNode item) {
    JsonNode[] empty = new JsonNode[width];
    Arrays.fill(empty, Values.UNDEFINED);
    List<JsonNode[]> rows = new ArrayList<>();
    rows.add(empty);
    return root.fill(item, rows) ? rows : null;
  }

  private static final class Node {
    final Map<Step, Node> children = new LinkedHashMap<>();
    final TreeSet<Integer> columns = new TreeSet<>();

    /**
     * Puts the values at and below this node into all rows. Returns false if there are too many
     * rows.
     */
    boolean fill(JsonNode value, List<JsonNode[]> rows) {
      for (int column : columns) {
        for (JsonNode[] row : rows) {
          row[column] = value;
        }
      }
      for (Map.Entry<Step, Node> child : children.entrySet()) {
        Step step = child.getKey();
        Node node = child.getValue();
        boolean few =
            step == WildcardStep.ELEMENTS
                ? node.fillElements(value, rows)
                : node.fill(IndexPath.follow(value, step), rows);
        if (!few) {
          return false;
        }
      }
      return true;
    }

    private boolean fillElements(JsonNode array, List<JsonNode[]> rows) {
      if (!array.isArray() || array.isEmpty()) {
        return fill(Values.UNDEFINED, rows);
      }
      if ((long) rows.size() * array.size() > MAX_ROWS) {
        return false;
      }
      List<JsonNode[]> all = new ArrayList<>();
      for (JsonNode element : array) {
        List<JsonNode[]> copies = new ArrayList<>(rows.size());
        rows.forEach(row -> copies.add(row.clone()));
        if (!fill(element, copies)) {
          return false;
        }
        all.addAll(copies);
        if (all.size() > MAX_ROWS) {
          return false;
        }
      }
      rows.clear();
      rows.addAll(all);
      return true;
    }
  }
}
