package io.kvreactive.server.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.json.KvJson;
import io.kvreactive.server.ExitCode;
import io.kvreactive.server.Units;
import io.kvreactive.server.client.CliException;
import io.kvreactive.server.client.CliJson;
import io.kvreactive.server.client.KeyParser;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code kv token}. */
@Command(
    name = "token",
    description = "Tokens of a server: create, list, rotate, revoke. Needs ADMIN access.",
    synopsisSubcommandLabel = "COMMAND",
    mixinStandardHelpOptions = true,
    subcommands = {
      TokenCommand.Create.class,
      TokenCommand.Show.class,
      TokenCommand.Rotate.class,
      TokenCommand.Revoke.class
    })
final class TokenCommand {
  private static final String TOKENS = "/api/v1/tokens";

  private TokenCommand() {}

  private static String path(String name) {
    if (!name.matches("[A-Za-z0-9._-]{1,64}")) {
      throw new CliException(
          ExitCode.USAGE,
          "token name \"" + name + "\" (expected: up to 64 letters, digits, '.', '_' and '-')");
    }
    return TOKENS + "/" + name;
  }

  /** {@code kv token create}. */
  @Command(
      name = "create",
      description = "Creates a token and prints it; it cannot be shown again.")
  static final class Create extends KvCommand {
    @Parameters(paramLabel = "NAME", description = "name for logs, rotation and revocation")
    String name = "";

    @Option(
        names = "--access",
        paramLabel = "ACCESS",
        split = ",",
        required = true,
        description = "any of READ, WRITE, ADMIN, METRICS; separated by commas")
    List<String> access = List.of();

    @Option(
        names = "--prefix",
        paramLabel = "KEY",
        description = "permit only keys below this key; repeatable")
    List<String> prefixes = List.of();

    @Option(
        names = "--database",
        paramLabel = "NAME",
        description = "permit only this database; repeatable")
    List<String> databases = List.of();

    @Option(
        names = "--expire-in",
        paramLabel = "TIME",
        converter = Units.Time.class,
        description = "time until expiry, such as 30d (default: never)")
    @Nullable Duration expireIn;

    @Override
    int run() {
      ObjectNode requested = CliJson.object().put("name", name);
      ArrayNode allowed = requested.putArray("access");
      access.forEach(each -> allowed.add(each.strip().toUpperCase(Locale.ROOT)));
      if (!prefixes.isEmpty()) {
        ArrayNode keys = requested.putArray("prefixes");
        prefixes.forEach(key -> keys.add(KvJson.toJson(KeyParser.parse(key))));
      }
      if (!databases.isEmpty()) {
        databases.forEach(requested.putArray("databases")::add);
      }
      if (expireIn != null) {
        requested.put("expiresAt", Instant.now().plus(expireIn).toString());
      }
      ObjectNode answer = connection.http().json("POST", TOKENS, Map.of(), requested);
      print(answer, answer.path("token").asText());
      return ExitCode.OK;
    }
  }

  /** {@code kv token list}. */
  @Command(
      name = "list",
      description = {
        "Prints all tokens without their secrets: name, access, keys, databases and expiry, "
            + "separated by tabs."
      })
  static final class Show extends KvCommand {
    @Override
    int run() {
      JsonNode tokens = connection.http().json("GET", TOKENS, Map.of(), null).path("tokens");
      for (JsonNode token : tokens) {
        print(token, text(token));
      }
      return ExitCode.OK;
    }

    private static String text(JsonNode token) {
      String text =
          String.join(
              "\t",
              token.path("name").asText(),
              joined(token.path("access"), "no access"),
              joined(token.path("prefixes"), "all keys"),
              joined(token.path("databases"), "all databases"),
              token.has("expiresAt") ? "until " + token.path("expiresAt").asText() : "without end");
      return token.has("previousUntil")
          ? text + "\told secret until " + token.path("previousUntil").asText()
          : text;
    }

    private static String joined(JsonNode array, String none) {
      StringJoiner joined = new StringJoiner(",").setEmptyValue(none);
      array.forEach(each -> joined.add(each.isTextual() ? each.asText() : each.toString()));
      return joined.toString();
    }
  }

  /** {@code kv token rotate}. */
  @Command(
      name = "rotate",
      description =
          "Replaces the secret of a token and prints it; the old secret expires after the grace"
              + " time.")
  static final class Rotate extends KvCommand {
    @Parameters(paramLabel = "NAME", description = "name of the token")
    String name = "";

    @Option(
        names = "--grace",
        paramLabel = "TIME",
        converter = Units.Time.class,
        description = "validity of the old secret (default: 1h)")
    Duration grace = Duration.ofHours(1);

    @Override
    int run() {
      ObjectNode requested = CliJson.object().put("graceMs", grace.toMillis());
      ObjectNode answer =
          connection.http().json("POST", path(name) + "/rotate", Map.of(), requested);
      print(answer, answer.path("token").asText());
      return ExitCode.OK;
    }
  }

  /** {@code kv token revoke}. */
  @Command(name = "revoke", description = "Revokes a token immediately.")
  static final class Revoke extends KvCommand {
    @Parameters(paramLabel = "NAME", description = "name of the token")
    String name = "";

    @Override
    int run() {
      connection.http().json("DELETE", path(name), Map.of(), null);
      print(CliJson.object().put("revoked", name), "");
      return ExitCode.OK;
    }
  }
}
