package io.kvreactive.server.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.server.ExitCode;
import io.kvreactive.server.client.Target;
import java.util.Map;
import picocli.CommandLine.Command;

/** {@code kv stats}. */
@Command(name = "stats", description = "Prints the statistics of a store.")
final class StatsCommand extends TargetCommand {
  @Override
  int run(Target target) {
    ObjectNode stats = target.stats();
    if (json()) {
      out.line(stats);
    } else {
      lines("", stats);
    }
    return ExitCode.OK;
  }

  private void lines(String prefix, JsonNode json) {
    for (Map.Entry<String, JsonNode> field : json.properties()) {
      String name = prefix + field.getKey();
      if (field.getValue().isObject()) {
        lines(name + ".", field.getValue());
      } else {
        JsonNode value = field.getValue();
        out.line(name + "\t" + (value.isTextual() ? value.asText() : value.toString()));
      }
    }
  }
}
