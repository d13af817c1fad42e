package io.kvreactive.server.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.kvreactive.KvException;
import io.kvreactive.json.KvJson;
import io.kvreactive.json.Utf8;
import io.kvreactive.server.ExitCode;
import io.kvreactive.server.client.CliException;
import io.kvreactive.server.client.CliJson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The argument for a value: its source and its format. */
final class ValueArgument {
  /** The format of the text of a value. */
  enum As {
    /** JSON in the notation of docs/json.md. */
    JSON,
    /** A string, unchanged. */
    STRING,
    /** A Uint8Array. */
    BYTES
  }

  private static final int SHOWN = 40;

  @Option(names = "--file", paramLabel = "FILE", description = "read the value from a file")
  @Nullable Path file;

  @Option(
      names = "--as",
      paramLabel = "KIND",
      description = "format of the value: ${COMPLETION-CANDIDATES} (default: json)")
  As as = As.JSON;

  /**
   * Returns the value as JSON in the notation of docs/json.md.
   *
   * @throws CliException USAGE if it is invalid
   */
  JsonNode read(@Nullable String typed) {
    byte[] bytes = required(typed);
    JsonNode json =
        switch (as) {
          case JSON -> json(bytes);
          case STRING -> JsonNodeFactory.instance.textNode(text(bytes));
          case BYTES -> CliJson.object().put("$bytes", Base64.getEncoder().encodeToString(bytes));
        };
    try {
      return KvJson.toJson(KvJson.valueOf(json));
    } catch (KvException e) {
      throw CliException.of(e);
    }
  }

  private static JsonNode json(byte[] bytes) {
    try {
      return CliJson.typed("the value", bytes);
    } catch (CliException e) {
      String text = new String(bytes, StandardCharsets.UTF_8).strip();
      if (text.isEmpty() || text.length() > SHOWN || !Character.isLetter(text.codePointAt(0))) {
        throw e;
      }
      throw new CliException(
          e.exitCode(), e.text() + " (for a string: '\"" + text + "\"', or --as string)");
    }
  }

  /** Returns plain JSON, which is not checked against the notation of docs/json.md. */
  JsonNode readPlain(@Nullable String typed) {
    if (as != As.JSON) {
      throw new CliException(ExitCode.USAGE, "--as " + as + " (expected: json)");
    }
    return CliJson.typed("the value", required(typed));
  }

  private static String text(byte[] bytes) {
    try {
      return Utf8.decode(bytes);
    } catch (KvException e) {
      throw new CliException(ExitCode.USAGE, "the value: " + e.detail());
    }
  }

  private byte[] required(@Nullable String typed) {
    if ((typed == null) == (file == null)) {
      throw new CliException(ExitCode.USAGE, "the value (expected: VALUE, - or --file)");
    }
    try {
      if (file != null) {
        return Files.readAllBytes(file);
      }
      return "-".equals(typed)
          ? System.in.readAllBytes()
          : String.valueOf(typed).getBytes(StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw CliException.of("the value cannot be read", e);
    }
  }
}
