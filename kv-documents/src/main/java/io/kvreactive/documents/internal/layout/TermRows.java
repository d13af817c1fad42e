package io.kvreactive.documents.internal.layout;

import static io.kvreactive.documents.internal.worker.WorkerThread.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.kvreactive.documents.internal.path.IndexPath;
import io.kvreactive.documents.internal.path.MemberStep;
import io.kvreactive.documents.internal.path.Step;
import io.kvreactive.documents.internal.path.WildcardStep;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The rows of an item in an index of terms: one row for each term of its values. */
final class TermRows implements EntryRows {
  /**
   * Maximum number of terms of one item; an item with more terms is a candidate for every query.
   */
  private static final int MAX_ROWS = 1000;

  private final StoredTermIndex index;
  private final List<Step> steps;
  private final boolean subtree;

  TermRows(StoredTermIndex index) {
    this.index = index;
    this.steps = index.rule().path().steps();
    this.subtree = index.rule().subtree();
  }

  @Override
  public @Nullable List<JsonNode[]> rows(JsonNode item) {
    Set<String> terms = new HashSet<>();
    if (!add(item, 0, terms)) {
      return null;
    }
    List<JsonNode[]> rows = new ArrayList<>(terms.size());
    terms.forEach(term -> rows.add(new JsonNode[] {TextNode.valueOf(term)}));
    return rows;
  }

  /** Adds the terms of the values from the given step on. Returns false if there are too many. */
  private boolean add(JsonNode value, int step, Set<String> terms) {
    checkpoint();
    if (step == steps.size()) {
      return subtree ? addAll(value, terms) : addTerms(value, terms);
    }
    Step next = steps.get(step);
    if (next != WildcardStep.ELEMENTS) {
      return add(IndexPath.follow(value, next), step + 1, terms);
    }
    if (value.isArray()) {
      for (JsonNode element : value) {
        if (!add(element, step + 1, terms)) {
          return false;
        }
      }
    }
    return true;
  }

  /**
   * Adds the terms of a value and of all arrays and objects inside. Returns false if there are too
   * many.
   */
  private boolean addAll(JsonNode value, Set<String> terms) {
    if (!addTerms(value, terms)) {
      return false;
    }
    for (JsonNode inner : value) {
      checkpoint();
      if (inner.isContainerNode() && !addAll(inner, terms)) {
        return false;
      }
    }
    return true;
  }

  private boolean addTerms(JsonNode value, Set<String> terms) {
    Collection<String> own = index.termsOf(value);
    return own != null && (!terms.addAll(own) || terms.size() <= MAX_ROWS);
  }

  @Override
  public boolean addMembers(Set<String> names) {
    if (steps.isEmpty() || !(steps.get(0) instanceof MemberStep label)) {
      return false;
    }
    names.add(label.name());
    return true;
  }
}
