package io.kvreactive.server.command;

import io.kvreactive.server.ExitCode;
import io.kvreactive.server.client.CliJson;
import java.util.Map;
import picocli.CommandLine.Command;

/** {@code kv health}. */
@Command(
    name = "health",
    description = "Checks that the server is ready; exits with 1 if it is not.")
final class HealthCommand extends KvCommand {
  @Override
  int run() {
    Map.Entry<Integer, String> answer = connection.http().probe("/readyz");
    boolean ready = answer.getKey() == 200;
    print(CliJson.object().put("ready", ready).put("status", answer.getValue()), answer.getValue());
    return ready ? ExitCode.OK : ExitCode.NO;
  }
}
