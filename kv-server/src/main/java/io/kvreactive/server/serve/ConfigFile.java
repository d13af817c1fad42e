package io.kvreactive.server.serve;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.kvreactive.KvException;
import io.kvreactive.json.Utf8;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Reads YAML configuration files, whose properties are the names of flags. {@code tls: {cert: f}}
 * is the same as {@code tls-cert: f}, and a list is the same as its elements separated by commas.
 */
final class ConfigFile {
  private static final YAMLFactory YAML =
      YAMLFactory.builder()
          .enable(com.fasterxml.jackson.core.StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .build();
  private static final int MAX_BYTES = 1 << 20;

  private final Path file;
  private final Set<String> known;
  private final Map<String, Settings.Value> values = new LinkedHashMap<>();

  private ConfigFile(Path file, Set<String> known) {
    this.file = file;
    this.known = known;
  }

  /**
   * Returns the properties of a file.
   *
   * @param known the names of all properties
   * @throws ConfigException if the file is invalid; the message has the line
   */
  static Map<String, Settings.Value> read(Path file, Set<String> known) {
    ConfigFile config = new ConfigFile(file, known);
    try {
      if (Files.size(file) > MAX_BYTES) {
        throw new ConfigException(file + ": larger than 1 MiB");
      }
      String text = Utf8.decodeDocument(Files.readAllBytes(file));
      try (JsonParser parser = YAML.createParser(text)) {
        JsonToken first = parser.nextToken();
        if (first != null) { // null for a file that is empty or has only comments
          config.expect(parser, JsonToken.START_OBJECT, "properties such as port: 4512");
          config.properties(parser, "");
          if (parser.nextToken() != null) {
            throw config.wrong(parser, "second document (expected: one)");
          }
        }
      }
    } catch (JsonProcessingException e) {
      int line = e.getLocation() == null ? 0 : e.getLocation().getLineNr();
      throw new ConfigException(
          file + ":" + line + ": " + e.getOriginalMessage().lines().findFirst().orElse("not YAML"));
    } catch (KvException e) {
      throw new ConfigException(file + ": " + e.detail());
    } catch (IOException e) {
      throw new ConfigException(file + ": cannot be read (" + e + ")");
    }
    return config.values;
  }

  private void properties(JsonParser parser, String prefix) throws IOException {
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String name = prefix + parser.currentName();
      int line = parser.currentTokenLocation().getLineNr();
      if (parser.nextToken() == JsonToken.START_OBJECT) {
        properties(parser, name + "-");
        continue;
      }
      if (!known.contains(name)) {
        throw new ConfigException(
            "%s:%d: unknown property \"%s\" (expected: one of %s)"
                .formatted(file, line, name, String.join(", ", new TreeSet<>(known))));
      }
      String value = parser.currentToken() == JsonToken.START_ARRAY ? list(parser) : scalar(parser);
      if (values.putIfAbsent(name, new Settings.Value(value, file + ":" + line)) != null) {
        throw new ConfigException("%s:%d: duplicate property \"%s\"".formatted(file, line, name));
      }
    }
  }

  private String list(JsonParser parser) throws IOException {
    List<String> elements = new ArrayList<>();
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      elements.add(scalar(parser));
    }
    return String.join(",", elements);
  }

  private String scalar(JsonParser parser) throws IOException {
    JsonToken token = parser.currentToken();
    if (token == JsonToken.VALUE_NULL || !token.isScalarValue() || parser.getText().isEmpty()) {
      throw wrong(parser, "no value (expected: a value; omit the property for its default)");
    }
    return parser.getText();
  }

  private void expect(JsonParser parser, JsonToken token, String expected) {
    if (parser.currentToken() != token) {
      throw wrong(parser, "not properties (expected: " + expected + ")");
    }
  }

  private ConfigException wrong(JsonParser parser, String what) {
    return new ConfigException(
        file + ":" + parser.currentTokenLocation().getLineNr() + ": " + what);
  }
}
