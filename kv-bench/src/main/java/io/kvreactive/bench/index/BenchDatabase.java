package io.kvreactive.bench.index;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** An SQL database in this process, with JSON documents and indexes on paths in them. */
enum BenchDatabase {
  /** SQLite with indexes on expressions. Each commit is synced to the disk, as with this store. */
  SQLITE("SQLite", 1) {
    @Override
    String url(Path directory) {
      return "jdbc:sqlite:" + directory.resolve("people.db");
    }

    @Override
    List<String> settings() {
      return List.of(
          "PRAGMA journal_mode=WAL", "PRAGMA synchronous=FULL", "PRAGMA busy_timeout=60000");
    }

    @Override
    String table(String name) {
      return "CREATE TABLE " + name + " (id TEXT PRIMARY KEY, doc TEXT NOT NULL)";
    }

    @Override
    String place(String path) {
      return "json_extract(doc, '$." + path + "')";
    }

    @Override
    String insert(String table) {
      return "INSERT INTO " + table + " (id, doc) VALUES (?, ?)";
    }
  },

  /**
   * H2 with indexes on generated columns, because it has none on expressions. By default, a commit
   * is not synced: it is written within half a second.
   */
  H2("H2", 8) {
    @Override
    String url(Path directory) {
      return "jdbc:h2:file:" + directory.resolve("people").toAbsolutePath();
    }

    @Override
    List<String> settings() {
      return List.of();
    }

    @Override
    String table(String name) {
      List<String> columns =
          new ArrayList<>(List.of("id VARCHAR PRIMARY KEY", "doc JSON NOT NULL"));
      for (String path : People.INDEXED) {
        String node = "(doc).\"" + path.replace(".", "\".\"") + "\"";
        String text = "CAST(" + node + " AS VARCHAR)";
        columns.add(
            path.equals("age")
                ? "age INT GENERATED ALWAYS AS (CAST(" + text + " AS INT))"
                : place(path) + " VARCHAR GENERATED ALWAYS AS (TRIM(BOTH '\"' FROM " + text + "))");
      }
      return "CREATE TABLE " + name + " (" + String.join(", ", columns) + ")";
    }

    @Override
    String place(String path) {
      return path.replace('.', '_');
    }

    @Override
    String insert(String table) {
      return "INSERT INTO " + table + " (id, doc) VALUES (?, ? FORMAT JSON)";
    }
  };

  final String title;

  /** Number of concurrent writing connections. More connections would only wait for each other. */
  final int writers;

  BenchDatabase(String title, int writers) {
    this.title = title;
    this.writers = writers;
  }

  abstract String url(Path directory);

  /** Returns the statements to execute on a new connection. */
  abstract List<String> settings();

  /** Returns the statement that creates a table with the columns {@code id} and {@code doc}. */
  abstract String table(String name);

  /** Returns the expression for a path of the document in conditions and indexes. */
  abstract String place(String path);

  abstract String insert(String table);

  String index(String name, String table, String... paths) {
    String places = List.of(paths).stream().map(this::place).collect(Collectors.joining(", "));
    return "CREATE INDEX " + name + " ON " + table + " (" + places + ")";
  }

  String point() {
    return "SELECT doc FROM people WHERE " + place("email") + " = ?";
  }

  String range() {
    String city = place("city");
    String age = place("age");
    return "SELECT doc FROM people WHERE %s = ? AND %s > ? ORDER BY %s, %s LIMIT 20"
        .formatted(city, age, city, age);
  }
}
