package io.kvreactive.server.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvKey;
import io.kvreactive.json.KvJson;
import io.kvreactive.server.Units;
import io.kvreactive.server.client.KeyParser;
import io.kvreactive.server.client.Target;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code kv set}. */
@Command(name = "set", description = "Sets a key and prints the commit's versionstamp.")
final class SetCommand extends TargetCommand {
  @Parameters(index = "0", paramLabel = "KEY", description = "users/ada or '[\"users\",7]'")
  String key = "";

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "VALUE",
      description = "JSON, or - for standard input")
  @Nullable String value;

  @Mixin ValueArgument from = new ValueArgument();
  @Mixin CreateFlag creation = new CreateFlag();
  @Mixin CheckFlags checks = new CheckFlags();

  @Option(
      names = "--expire-in",
      paramLabel = "TIME",
      converter = Units.Time.class,
      description = "time to live, such as 30m")
  @Nullable Duration expireIn;

  @Override
  int run(Target target) {
    KvKey parsed = KeyParser.parse(key);
    JsonNode read = from.read(value);
    ObjectNode operation = checks.operation(parsed);
    ObjectNode set = operation.withArray("mutations").addObject().put("type", "set");
    set.set("key", KvJson.toJson(parsed));
    set.set("value", read);
    if (expireIn != null) {
      set.put("expireIn", expireIn.toMillis());
    }
    return committed(target.atomic(operation));
  }
}
