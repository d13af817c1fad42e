package io.kvreactive.server.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.json.Utf8;
import io.kvreactive.server.Terminals;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Prints JSON rows in columns, one for each member. The widths of the columns fit {@value #PAGE}
 * rows at a time; each such page has a header.
 */
final class TextTable {
  private static final int PAGE = 200;
  private static final int MAX_WIDTH = 48;
  private static final String VALUE = "value"; // the column of rows that are no objects

  private final List<Map<String, String>> rows = new ArrayList<>();
  private long printed;

  /** Adds a row, and prints a page when it is full. */
  void add(JsonNode json, Consumer<String> lines) {
    Map<String, String> row = new LinkedHashMap<>();
    if (json.isObject()) {
      json.properties().forEach(member -> row.put(plain(member.getKey()), cell(member.getValue())));
    } else {
      row.put(VALUE, cell(json));
    }
    rows.add(row);
    if (rows.size() == PAGE) {
      print(lines);
    }
  }

  /** Prints the rest, and the number of rows if there were any. */
  void end(Consumer<String> lines) {
    print(lines);
    if (printed > 0) {
      lines.accept("(" + printed + (printed == 1 ? " row)" : " rows)"));
    }
    printed = 0;
  }

  private void print(Consumer<String> lines) {
    Map<String, Integer> widths = new LinkedHashMap<>();
    for (Map<String, String> row : rows) {
      row.forEach(
          (name, cell) -> widths.merge(name, Math.max(width(name), width(cell)), Math::max));
    }
    if (!rows.isEmpty()) {
      lines.accept(line(widths, name -> name));
      lines.accept(line(widths, name -> "-".repeat(widths.getOrDefault(name, 0))));
    }
    for (Map<String, String> row : rows) {
      lines.accept(line(widths, name -> row.getOrDefault(name, "")));
    }
    printed += rows.size();
    rows.clear();
  }

  private static String line(
      Map<String, Integer> widths, java.util.function.UnaryOperator<String> cells) {
    StringBuilder line = new StringBuilder();
    widths.forEach(
        (name, width) -> {
          String cell = cells.apply(name);
          line.append(line.isEmpty() ? "" : "  ").append(cell);
          line.append(" ".repeat(width - width(cell)));
        });
    return line.toString().stripTrailing();
  }

  private static int width(String text) {
    return text.codePointCount(0, text.length());
  }

  /** Returns the text of a value: a string without quotes, on one line, cut. */
  private static String cell(JsonNode value) {
    return plain(value.isTextual() ? value.textValue() : value.toString());
  }

  /** Returns text of one line for a terminal, cut. */
  private static String plain(String text) {
    String plain = Terminals.clean(Utf8.escape(text).replaceAll("[\\t\\r\\n]", " "));
    return width(plain) <= MAX_WIDTH
        ? plain
        : plain.substring(0, plain.offsetByCodePoints(0, MAX_WIDTH - 1)) + "…";
  }
}
