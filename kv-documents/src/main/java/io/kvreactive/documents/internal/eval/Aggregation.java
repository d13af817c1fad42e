package io.kvreactive.documents.internal.eval;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Groups of rows and their aggregates, computed row by row. Memory is a few numbers per group, held
 * in the budget. Without GROUP BY there is exactly one group, even without rows.
 */
public final class Aggregation {
  private static final long GROUP_BYTES = 200;
  private static final long ACCUMULATOR_BYTES = 64;

  private final GroupProgram program;
  private final @Nullable Row outer;
  private final Execution execution;
  private final Map<GroupKey, List<Accumulator>> groups = new LinkedHashMap<>();

  Aggregation(GroupProgram program, @Nullable Row outer, Execution execution) {
    this.program = program;
    this.outer = outer;
    this.execution = execution;
    if (program.keys().isEmpty()) {
      groups.put(GroupKey.NONE, newGroup());
    }
  }

  /** Adds a row. */
  public void add(Row row) {
    GroupKey key = GroupKey.of(program.keys(), row);
    List<Accumulator> group = groups.get(key);
    if (group == null) {
      group = newGroup();
      execution.budget().hold(GROUP_BYTES + ACCUMULATOR_BYTES * group.size() + key.weight());
      groups.put(key, group);
    }
    for (int i = 0; i < group.size(); i++) {
      group.get(i).add(program.arguments().get(i).value(row), execution.budget());
    }
  }

  /**
   * The result of a group.
   *
   * @param key the values of GROUP BY
   * @param value the row
   */
  public record Result(List<JsonNode> key, JsonNode value) {}

  /**
   * Removes all groups and returns their result rows, in the order in which the groups first
   * appeared, before DISTINCT, TOP and LIMIT.
   */
  public List<Result> results() {
    List<Result> results = new ArrayList<>(groups.size());
    Iterator<Map.Entry<GroupKey, List<Accumulator>>> all = groups.entrySet().iterator();
    while (all.hasNext()) {
      Map.Entry<GroupKey, List<Accumulator>> group = all.next();
      GroupKey key = group.getKey();
      execution.budget().step();
      JsonNode result = program.projection().value(row(key, group.getValue()));
      if (!result.isMissingNode()) {
        execution.budget().hold(MemoryEstimator.of(result));
        results.add(new Result(key.values(), result));
      }
      if (key.size() > 0) {
        execution.budget().release(GROUP_BYTES + ACCUMULATOR_BYTES * group.getValue().size());
      }
      all.remove();
    }
    return results;
  }

  private Row row(GroupKey key, List<Accumulator> group) {
    JsonNode[] values = new JsonNode[key.size() + group.size()];
    Arrays.setAll(values, i -> i < key.size() ? key.value(i) : group.get(i - key.size()).result());
    return new Row(values, outer, execution);
  }

  private List<Accumulator> newGroup() {
    return program.aggregates().stream().map(Accumulator::of).toList();
  }
}
