package io.kvreactive.documents.internal.layout;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.internal.path.IndexPath;
import io.kvreactive.documents.internal.path.PathParser;
import io.kvreactive.documents.internal.path.PathRule;
import io.kvreactive.documents.internal.worker.WorkerThread;
import io.kvreactive.documents.spi.CallCondition;
import io.kvreactive.documents.spi.TermIndex;
import io.kvreactive.documents.spi.TermRange;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An index of the terms of values, declared by an extension.
 *
 * @param number the number of the index in keys, for as long as the index is defined
 * @param index the extension's index, which computes the terms of values and conditions
 * @param rule the paths of the values
 */
public record StoredTermIndex(int number, TermIndex index, PathRule rule) {
  /**
   * Number of nodes of values from which a call of the extension may take more than some
   * milliseconds. A polygon of thousands of positions takes a second.
   */
  private static final int LARGE = 256;

  static StoredTermIndex of(int number, TermIndex index) {
    return new StoredTermIndex(number, index, PathParser.rule(index.path()));
  }

  /** Returns true if the values of a path are in the index. */
  public boolean has(IndexPath path) {
    IndexPath indexed = rule.path();
    return indexed.equals(path)
        || rule.subtree()
            && path.size() > indexed.size()
            && path.steps().subList(0, indexed.size()).equals(indexed.steps());
  }

  /** Returns {@link TermIndex#terms}. For a large value, the thread lets other work run. */
  @Nullable Collection<String> termsOf(JsonNode value) {
    return nodes(value, 0) < LARGE
        ? index.terms(value)
        : WorkerThread.longCall(() -> index.terms(value));
  }

  /** Returns {@link TermIndex#ranges}. For large arguments, the thread lets other work run. */
  public @Nullable List<TermRange> rangesOf(CallCondition condition) {
    int nodes = 0;
    for (@Nullable JsonNode argument : condition.arguments()) {
      nodes = argument == null ? nodes : nodes(argument, nodes);
    }
    return nodes < LARGE
        ? index.ranges(condition)
        : WorkerThread.longCall(() -> index.ranges(condition));
  }

  /** Adds the nodes of a value to a count, up to about {@link #LARGE}. */
  private static int nodes(JsonNode value, int before) {
    int count = before + 1;
    for (Iterator<JsonNode> inner = value.elements(); inner.hasNext() && count < LARGE; ) {
      count = nodes(inner.next(), count);
    }
    return count;
  }
}
