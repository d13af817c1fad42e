package io.kvreactive.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.web.DocumentBlocks;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The tables of docs/parity.md. */
final class ParityDocument {
  /** Names in backticks, or yes, perhaps with remarks; or a dash with the word of a deviation. */
  private static final Pattern CELL =
      Pattern.compile(
          "((?:yes|`[^`]+`)(?:%1$s, `[^`]+`)*%1$s)|– (\\*[^*]+\\*)"
              .formatted("(?: \\([^()]+\\))?"));

  private static final Pattern REMARK = Pattern.compile(" \\([^()]+\\)");

  /**
   * A cell.
   *
   * @param names the names, without backticks; empty for a deviation
   * @param deviation the word of the deviation, with its asterisks
   */
  record Cell(List<String> names, @Nullable String deviation) {
    static Cell of(String text) {
      Matcher cell = CELL.matcher(text);
      assertThat(cell.matches()).as("a cell: " + text).isTrue();
      return cell.group(1) == null
          ? new Cell(List.of(), cell.group(2))
          : new Cell(namesOf(cell.group(1)), null);
    }
  }

  private final Map<String, List<Map<String, String>>> sections = new LinkedHashMap<>();

  private ParityDocument(String text) {
    for (String section : text.split("(?m)^## ")) {
      List<String[]> lines =
          section
              .lines()
              .filter(line -> line.startsWith("| "))
              .map(line -> line.substring(2).replaceFirst(" \\|$", "").split(" \\| ", -1))
              .toList();
      if (!lines.isEmpty()) {
        sections.put(section.lines().findFirst().orElseThrow(), rows(lines));
      }
    }
  }

  static ParityDocument read() {
    try {
      return new ParityDocument(Files.readString(DocumentBlocks.ROOT.resolve("docs/parity.md")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<Map<String, String>> rows(List<String[]> lines) {
    List<Map<String, String>> rows = new ArrayList<>();
    for (String[] cells : lines.subList(1, lines.size())) {
      assertThat(cells).as(String.join(" | ", cells)).hasSameSizeAs(lines.get(0));
      Map<String, String> row = new LinkedHashMap<>();
      for (int i = 0; i < cells.length; i++) {
        row.put(lines.get(0)[i], cells[i]);
      }
      rows.add(row);
    }
    return rows;
  }

  /** Returns the rows of the table of a section, each with its cells by the names of columns. */
  List<Map<String, String>> table(String section) {
    assertThat(sections).containsKey(section);
    return sections.get(section);
  }

  /** Returns the cells of a column of several tables. Tables without the column have none. */
  Stream<Cell> column(Iterable<String> tables, String column) {
    List<Cell> cells = new ArrayList<>();
    for (String table : tables) {
      for (Map<String, String> row : table(table)) {
        if (row.containsKey(column)) {
          cells.add(Cell.of(row.get(column)));
        }
      }
    }
    return cells.stream();
  }

  /** Returns the names of a list, without backticks and remarks. */
  static List<String> namesOf(String list) {
    return Stream.of(REMARK.matcher(list).replaceAll("").split(", "))
        .map(name -> name.replace("`", ""))
        .toList();
  }
}
