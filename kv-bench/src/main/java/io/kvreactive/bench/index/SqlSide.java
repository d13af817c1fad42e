package io.kvreactive.bench.index;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** The same documents in an SQL database. An instance is a connection for one thread at a time. */
final class SqlSide implements AutoCloseable {
  /** Number of rows in a transaction of a bulk load. */
  static final int BATCH = 1000;

  private final BenchDatabase database;
  private final Connection connection;
  private final PreparedStatement point;
  private final PreparedStatement range;
  private final PreparedStatement grow;

  private SqlSide(BenchDatabase database, Connection connection) throws SQLException {
    this.database = database;
    this.connection = connection;
    point = connection.prepareStatement(database.point());
    range = connection.prepareStatement(database.range());
    grow = connection.prepareStatement(database.insert("growing"));
  }

  /** Creates the tables, one to be queried and one that grows, and connects. */
  static SqlSide create(BenchDatabase database, Path directory) throws SQLException {
    Connection connection = connection(database, directory);
    for (String table : List.of("people", "growing")) {
      execute(connection, database.table(table));
      for (String path : People.INDEXED) {
        String name = table + "_" + path.replace('.', '_');
        execute(connection, database.index(name, table, path));
      }
    }
    execute(connection, database.index("people_city_age", "people", "city", "age"));
    return new SqlSide(database, connection);
  }

  /** Opens another connection to existing tables. */
  static SqlSide connect(BenchDatabase database, Path directory) throws SQLException {
    return new SqlSide(database, connection(database, directory));
  }

  private static Connection connection(BenchDatabase database, Path directory) throws SQLException {
    Connection connection = DriverManager.getConnection(database.url(directory));
    for (String setting : database.settings()) {
      execute(connection, setting);
    }
    return connection;
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** Adds documents to a table, {@link #BATCH} in each transaction. */
  void load(String table, int from, int count) throws SQLException {
    connection.setAutoCommit(false);
    try (PreparedStatement insert = connection.prepareStatement(database.insert(table))) {
      for (int i = 0; i < count; i++) {
        set(insert, from + i);
        insert.addBatch();
        if ((i + 1) % BATCH == 0 || i + 1 == count) {
          insert.executeBatch();
          connection.commit();
        }
      }
    }
    connection.setAutoCommit(true);
  }

  private static void set(PreparedStatement insert, int number) throws SQLException {
    insert.setString(1, People.id(number));
    insert.setString(2, People.text(number));
  }

  /** Adds a document to the growing table, in a transaction of its own. */
  void grow(int number) throws SQLException {
    set(grow, number);
    grow.executeUpdate();
  }

  JsonNode point(int number) throws SQLException {
    point.setString(1, People.email(number));
    List<JsonNode> rows = rows(point);
    if (rows.size() != 1) {
      throw new IllegalStateException(People.email(number) + ": " + rows);
    }
    return rows.get(0);
  }

  List<JsonNode> range(String city, int above) throws SQLException {
    range.setString(1, city);
    range.setInt(2, above);
    return rows(range);
  }

  private static List<JsonNode> rows(PreparedStatement query) throws SQLException {
    List<JsonNode> rows = new ArrayList<>();
    try (ResultSet result = query.executeQuery()) {
      while (result.next()) {
        rows.add(People.parse(result.getString(1)));
      }
    }
    return rows;
  }

  /** Adds a composite index to the queried table. */
  void build() throws SQLException {
    execute(connection, database.index("people_name_age", "people", "name", "age"));
  }

  /** Removes the composite index. */
  void drop() throws SQLException {
    execute(connection, "DROP INDEX people_name_age");
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
