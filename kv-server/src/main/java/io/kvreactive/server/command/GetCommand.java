package io.kvreactive.server.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvException;
import io.kvreactive.KvValue;
import io.kvreactive.json.KvJson;
import io.kvreactive.server.ExitCode;
import io.kvreactive.server.client.CliException;
import io.kvreactive.server.client.KeyParser;
import io.kvreactive.server.client.Target;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code kv get}. */
@Command(
    name = "get",
    description = "Prints the value of a key as JSON; exits with 1 if it does not exist.")
final class GetCommand extends TargetCommand {
  private static final int SHOWN = 60;

  @Parameters(paramLabel = "KEY", description = "users/ada or '[\"users\",7]'")
  String key = "";

  @Option(
      names = "--as",
      paramLabel = "KIND",
      description =
          "${COMPLETION-CANDIDATES}: as JSON (default), or a string or bytes as they are; exits "
              + "with 2 when the value is something else")
  ValueArgument.As as = ValueArgument.As.JSON;

  @Override
  int run(Target target) {
    if (json() && as != ValueArgument.As.JSON) {
      throw new CliException(ExitCode.USAGE, "--as and -o json (expected: one of them)");
    }
    ObjectNode entry = target.get(KeyParser.parse(key));
    if (entry.path("versionstamp").isNull()) {
      print(entry, "");
      if (!json()) {
        String strings = KeyParser.withStrings(key);
        out.message(
            "key "
                + entry.path("key")
                + " does not exist"
                + (strings.isEmpty()
                    ? ""
                    : " (for strings instead of numbers: '" + strings + "')"));
      }
      return ExitCode.NO;
    }
    JsonNode value = entry.path("value");
    switch (as) {
      case JSON -> print(entry, value.toString());
      case STRING -> out.bytes(string(value).getBytes(StandardCharsets.UTF_8));
      case BYTES -> out.bytes(bytes(value));
    }
    return ExitCode.OK;
  }

  private static String string(JsonNode value) {
    if (!value.isTextual()) {
      throw other(value, "a string");
    }
    return value.textValue();
  }

  private static byte[] bytes(JsonNode value) {
    try {
      KvValue read = KvJson.valueOf(value);
      if (read.encoding() == KvValue.Encoding.BYTES) {
        return read.bytes();
      }
    } catch (KvException e) {
      throw CliException.of(e);
    }
    throw other(value, "bytes");
  }

  private static CliException other(JsonNode value, String requested) {
    String text = value.toString();
    return new CliException(
        ExitCode.USAGE,
        "the value is not %s: %s (expected: without --as)"
            .formatted(requested, text.length() > SHOWN ? text.substring(0, SHOWN) + "…" : text));
  }
}
