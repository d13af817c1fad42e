package io.kvreactive.server.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.server.ExitCode;
import io.kvreactive.server.client.CliException;
import io.kvreactive.server.client.KeyParser;
import io.kvreactive.server.client.KeySelection;
import io.kvreactive.server.client.Target;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code kv watch}. */
@Command(
    name = "watch",
    description = {
      "Prints the state of keys, now and after each change; or, with a range, every change in "
          + "it. Runs until Ctrl-C and resumes after a lost connection."
    })
final class WatchCommand extends TargetCommand {
  @Parameters(arity = "0..*", paramLabel = "KEY", description = "keys whose state is printed")
  List<String> watched = List.of();

  @Mixin RangeFlags keys = new RangeFlags();

  @Option(names = "--all", description = "all changes of the store")
  boolean all;

  @Option(
      names = "--since",
      paramLabel = "VS",
      description = "changes after this versionstamp (default: the newest)")
  @Nullable String since;

  @Override
  int run(Target target) {
    KeySelection range = keys.range();
    boolean changes = range.isExplicit() || all;
    if (changes != watched.isEmpty() || (since != null && !changes)) {
      throw new CliException(
          ExitCode.USAGE,
          since != null && !changes && !watched.isEmpty()
              ? "--since with a KEY (expected: a range, such as --prefix " + watched.get(0) + ")"
              : (changes ? "KEYs and a range" : "nothing to watch")
                  + " (expected: KEYs; or --prefix, --start, --end or --all)");
    }
    if (showsProgress()) {
      out.message(changes ? "watching" + (since == null ? "" : " from " + since) : "watching");
    }
    if (changes) {
      target.changes(range, since, this::commit);
    } else {
      target.watch(watched.stream().map(KeyParser::parse).toList(), this::state);
    }
    return ExitCode.OK;
  }

  private void state(ObjectNode state) {
    if (json()) {
      out.line(state);
    } else {
      for (JsonNode entry : state.path("entries")) {
        out.line(
            entry.path("versionstamp").isNull()
                ? entry.path("key") + "\t"
                : text(entry) + "\t" + entry.path("versionstamp").asText());
      }
    }
    out.flush();
  }

  private void commit(ObjectNode commit) {
    if (json()) {
      out.line(commit);
    } else {
      for (JsonNode change : commit.path("changes")) {
        String type = change.path("type").asText();
        String what =
            change.has("key") ? text(change) : ((ObjectNode) change).without("type").toString();
        out.line(commit.path("versionstamp").asText() + "\t" + type + "\t" + what);
      }
    }
    out.flush();
  }
}
