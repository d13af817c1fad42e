package io.kvreactive.server.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.server.ExitCode;
import io.kvreactive.server.client.CliException;
import io.kvreactive.server.client.CliJson;
import io.kvreactive.server.client.Target;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code kv query}. */
@Command(
    name = "query",
    description = {
      "Prints the rows of a query as lines of JSON, read at one version. With --watch runs until "
          + "Ctrl-C; after a lost connection, all rows are printed again."
    })
final class QueryCommand extends TargetCommand {
  @Parameters(index = "0", paramLabel = "NAME", description = "name of the collection")
  String name = "";

  @Parameters(index = "1", paramLabel = "SQL", description = "SELECT * FROM c WHERE c.age > @age")
  String sql = "";

  @Mixin Flags flags = new Flags();

  @Option(names = "--no-scan", description = "fail instead of reading all items")
  boolean noScan;

  @Option(names = "--explain", description = "print the plan instead of the rows")
  boolean explain;

  @Option(
      names = "--analyze",
      description = {
        "run the query for one page, and print its plan and what each operator read instead of "
            + "the rows"
      })
  boolean analyze;

  @Option(
      names = "--watch",
      description = {
        "print each row as an insert, with the id of its item and the partition key if it has one, "
            + "then listed, then inserts, updates and removals as they are committed"
      })
  boolean watch;

  @Override
  int run(Target target) {
    if (watch && (explain || analyze)) {
      String other = explain ? "--explain" : "--analyze";
      throw new CliException(ExitCode.USAGE, "--watch and " + other + " (expected: one of them)");
    }
    ObjectNode query = flags.query(sql);
    if (noScan) {
      query.put("enableScan", false);
    }
    if (analyze) {
      ObjectNode page = target.documents().analyze(name, query);
      JsonNode operators = page.path("operators");
      page.retain("plan", "indexMetrics", "metrics", "operators");
      ObjectNode plan = page.deepCopy();
      plan.remove("operators");
      StringBuilder tree = new StringBuilder(plan.toPrettyString());
      addTree(operators, "\n", tree);
      print(page, tree.toString());
    } else if (explain) {
      ObjectNode plan = target.documents().explain(name, query);
      print(plan, plan.toPrettyString());
    } else if (watch) {
      target.documents().watchQuery(name, query, this::update);
    } else {
      target.documents().query(name, query, this::row);
    }
    return ExitCode.OK;
  }

  /** Adds an operator and those that fed it, one on each line. */
  private static void addTree(JsonNode operator, String indent, StringBuilder out) {
    out.append(indent).append(operator.path("operator").asText());
    for (String member : List.of("index", "range", "key", "test")) {
      JsonNode read = operator.path(member);
      if (!read.isMissingNode()) {
        out.append(' ').append(read.isTextual() ? read.textValue() : read);
      }
    }
    out.append(": ");
    if (operator.path("entries").asLong() > 0) {
      out.append(operator.path("entries")).append(" entries read, ");
    }
    out.append(operator.path("rows")).append(" rows");
    operator.path("inputs").forEach(input -> addTree(input, indent + "  ", out));
  }

  private void update(ObjectNode update) {
    JsonNode row = update.path("row");
    print(
        update,
        update.path("versionstamp").asText()
            + "\t"
            + update.path("type").asText()
            + (update.has("item") ? "\t" + update.path("item") : "")
            + (update.has("partitionKey") ? "\t" + update.path("partitionKey") : "")
            + (row.isMissingNode() ? "" : "\t" + row));
    out.flush();
  }

  /** The flag for the items of a partition key. */
  static final class PartitionFlag {
    @Option(
        names = "--partition",
        paramLabel = "JSON",
        description = "only items of a partition key: oslo, 7, '[\"oslo\",7]', or its first values")
    @Nullable String partition;

    /** Returns the partition key; null for all items. */
    @Nullable JsonNode key() {
      return partition == null ? null : CliJson.partitionKey(partition);
    }
  }

  /** The flags of a query. */
  static final class Flags {
    @Option(
        names = {"-p", "--param"},
        paramLabel = "NAME=JSON",
        description = "a parameter, such as -p age=30 for @age; repeatable")
    List<String> parameters = List.of();

    @Mixin PartitionFlag partition = new PartitionFlag();

    /** Returns a query in the form of the REST interface. */
    ObjectNode query(String sql) {
      ObjectNode query = CliJson.object().put("query", sql);
      ArrayNode all = query.putArray("parameters");
      for (String each : parameters) {
        int equals = each.indexOf('=');
        if (equals < 1) {
          throw new CliException(ExitCode.USAGE, "-p " + each + " (expected: such as age=30)");
        }
        String named = each.substring(0, equals);
        all.addObject()
            .put("name", named.startsWith("@") ? named : "@" + named)
            .set("value", CliJson.typed("-p " + named, each.substring(equals + 1)));
      }
      JsonNode key = partition.key();
      if (key != null) {
        query.set("partitionKey", key);
      }
      return query;
    }
  }
}
