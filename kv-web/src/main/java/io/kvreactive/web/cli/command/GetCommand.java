package io.kvreactive.web.cli.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.web.cli.ExitCode;
import io.kvreactive.web.cli.client.Keys;
import io.kvreactive.web.cli.client.Target;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code kv get}. */
@Command(
    name = "get",
    description = "Prints the value of a key as JSON; exits with 1 when there is none.")
final class GetCommand extends TargetCommand {
  @Parameters(paramLabel = "KEY", description = "users/ada or '[\"users\",7]'")
  String key = "";

  @Override
  int run(Target target) {
    ObjectNode entry = target.get(Keys.parse(key));
    if (entry.path("versionstamp").isNull()) {
      print(entry, "");
      if (!json()) {
        out.message("no such key: " + entry.path("key"));
      }
      return ExitCode.NO;
    }
    print(entry, entry.path("value").toString());
    return ExitCode.OK;
  }
}
