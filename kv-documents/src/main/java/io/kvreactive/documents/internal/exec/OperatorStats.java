package io.kvreactive.documents.internal.exec;

import static io.kvreactive.documents.internal.worker.WorkerThread.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.internal.eval.QueryProgram;
import io.kvreactive.documents.internal.plan.AccessPath;
import io.kvreactive.documents.internal.plan.IndexRef;
import io.kvreactive.documents.internal.plan.PlanExplainer;
import io.kvreactive.documents.internal.plan.ValueRange;
import io.kvreactive.documents.internal.sql.SqlPrinter;
import io.kvreactive.spi.RangePage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * The counts of one operator of a running query: the entries that it read from the store, and the
 * rows that it passed on. Rows are candidates, document ids or rows of the answer.
 *
 * <p>Each operator creates its counts with itself and updates them batch by batch. The counts of
 * the operators that feed it are its inputs, so that those of the last operator are a tree. Only
 * EXPLAIN describes what an operator reads. Calls must not overlap.
 */
final class OperatorStats {
  private final String name;
  private final boolean isOptional;
  private final Consumer<ObjectNode> details;
  private final List<OperatorStats> inputs;
  private long entries;
  private long rows;

  private OperatorStats(
      String name, boolean isOptional, Consumer<ObjectNode> details, OperatorStats... inputs) {
    this.name = name;
    this.isOptional = isOptional;
    this.details = details;
    this.inputs = new ArrayList<>(Arrays.asList(inputs));
  }

  OperatorStats(String name, OperatorStats... inputs) {
    this(name, false, OperatorStats::addNothing, inputs);
  }

  /**
   * Creates the counts of an operator that may have nothing to do: an explanation omits it if it
   * has read nothing and changed nothing of its input.
   */
  static OperatorStats optional(String name, OperatorStats... inputs) {
    return new OperatorStats(name, true, OperatorStats::addNothing, inputs);
  }

  /**
   * Creates the counts of an operator with details.
   *
   * @param details adds the members that describe what the operator reads
   */
  static OperatorStats of(String name, Consumer<ObjectNode> details) {
    return new OperatorStats(name, false, details);
  }

  /** Creates the counts of a scan, which has the name of its class. */
  static OperatorStats of(AccessPath.Scan scan) {
    return of(
        scan.accessClass().text(),
        out -> {
          describe(out, scan.index(), scan.equal(), scan.ranges());
          if (scan.test() != null) {
            out.put("test", SqlPrinter.print(scan.test().expr()));
          }
        });
  }

  /** Creates the counts of an operator that reads ranges of an index. */
  static OperatorStats of(
      String name, IndexRef index, List<JsonNode> equal, List<ValueRange> ranges) {
    return of(name, out -> describe(out, index, equal, ranges));
  }

  /** Creates the counts of an operator that makes the rows of a program, one by one. */
  static OperatorStats ofRows(QueryProgram program) {
    return new OperatorStats(program.query().where() == null ? "project" : "filter");
  }

  private static void addNothing(ObjectNode out) {}

  private static void describe(
      ObjectNode out, IndexRef index, List<JsonNode> equal, List<ValueRange> ranges) {
    out.put("index", index.name()).set("range", PlanExplainer.ranges(equal, ranges));
  }

  /** Adds an input and returns it. */
  OperatorStats add(OperatorStats input) {
    inputs.add(input);
    return input;
  }

  /** Counts the entries of pages, and returns the pages. */
  List<RangePage> read(List<RangePage> pages) {
    for (RangePage page : pages) {
      entries += page.entries().size();
    }
    return pages;
  }

  /** Counts rows passed on, and returns them. */
  <E> List<E> pass(List<E> passed) {
    rows += passed.size();
    return passed;
  }

  void pass(long passed) {
    rows += passed;
  }

  /** Returns the tree of operators, in the format of docs/query.md. */
  ObjectNode toJson() {
    ArrayNode out = JsonNodeFactory.instance.arrayNode();
    addTo(out);
    return (ObjectNode) out.get(0);
  }

  private void addTo(ArrayNode out) {
    checkpoint();
    ArrayNode from = JsonNodeFactory.instance.arrayNode();
    inputs.forEach(input -> input.addTo(from));
    boolean isUnchanged =
        rows == 0 || from.size() == 1 && from.get(0).get("rows").longValue() == rows;
    if (isOptional && entries == 0 && isUnchanged) {
      out.addAll(from);
      return;
    }
    ObjectNode json = out.addObject().put("operator", name);
    details.accept(json);
    json.put("entries", entries).put("rows", rows);
    if (!from.isEmpty()) {
      json.set("inputs", from);
    }
  }
}
