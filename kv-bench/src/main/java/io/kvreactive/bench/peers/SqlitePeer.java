package io.kvreactive.bench.peers;

import io.kvreactive.KvRange;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * SQLite with a write-ahead log that is synced at each commit. Each reading thread has a
 * connection.
 */
final class SqlitePeer implements Peer {
  /** A connection of a reading thread, with its statements. */
  private record Reader(Connection connection, PreparedStatement get, PreparedStatement list) {}

  private final String url;
  private final Connection writer;
  private final PreparedStatement put;
  private final List<Connection> connections = new ArrayList<>();
  private final Map<Thread, Reader> readers = new ConcurrentHashMap<>();

  SqlitePeer(Path directory) throws SQLException {
    url = "jdbc:sqlite:" + directory.resolve("entries.db");
    writer = connect();
    try (Statement statement = writer.createStatement()) {
      statement.execute("CREATE TABLE entries (k BLOB PRIMARY KEY, v BLOB NOT NULL) WITHOUT ROWID");
    }
    writer.setAutoCommit(false);
    put = writer.prepareStatement("INSERT OR REPLACE INTO entries VALUES (?, ?)");
  }

  private synchronized Connection connect() throws SQLException {
    Connection connection = DriverManager.getConnection(url);
    try (Statement statement = connection.createStatement()) {
      statement.execute("PRAGMA journal_mode = WAL");
      statement.execute("PRAGMA synchronous = FULL");
    }
    connections.add(connection);
    return connection;
  }

  private Reader reader() throws SQLException {
    Reader reader = readers.get(Thread.currentThread());
    if (reader == null) {
      Connection connection = connect();
      reader =
          new Reader(
              connection,
              connection.prepareStatement("SELECT v FROM entries WHERE k = ?"),
              connection.prepareStatement(
                  "SELECT k, v FROM entries WHERE k >= ? AND k < ? ORDER BY k"));
      readers.put(Thread.currentThread(), reader);
    }
    return reader;
  }

  @Override
  public void put(List<Entry> entries) throws SQLException {
    for (Entry entry : entries) {
      put.setBytes(1, entry.key());
      put.setBytes(2, entry.value());
      put.addBatch();
    }
    put.executeBatch();
    writer.commit();
  }

  @Override
  public byte @Nullable [] get(byte[] key) throws SQLException {
    PreparedStatement get = reader().get();
    get.setBytes(1, key);
    try (ResultSet row = get.executeQuery()) {
      return row.next() ? row.getBytes(1) : null;
    }
  }

  @Override
  public int list(KvRange range) throws SQLException {
    PreparedStatement list = reader().list();
    list.setBytes(1, range.startBytes());
    list.setBytes(2, range.endBytes());
    int count = 0;
    try (ResultSet rows = list.executeQuery()) {
      while (rows.next()) {
        var unused = rows.getBytes(1);
        PeerMeasure.required(rows.getBytes(2));
        count++;
      }
    }
    return count;
  }

  @Override
  public synchronized void close() {
    try {
      for (Connection connection : connections) {
        connection.close();
      }
    } catch (SQLException e) {
      throw new IllegalStateException("closing SQLite failed: " + e, e);
    }
  }
}
