package io.kvreactive.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.kvreactive.KvValue;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The SQLite file of {@code Deno.openKv(path)}, while no Deno has it open. */
public final class DenoFile {
  /**
   * A row as stored by Deno, and its description by the script.
   *
   * @param key the encoded key
   * @param keyParts the key's parts as {@code [{"type":"string","value":"a"}, …]}; bytes are hex,
   *     bigints and numbers are decimal with "-0", "NaN" and "Infinity"
   * @param dump the canonical text of the value
   */
  public record Row(byte[] key, KvValue value, long version, JsonNode keyParts, String dump) {}

  private final String url;

  public DenoFile(Path file) {
    url = "jdbc:sqlite:" + file;
  }

  /**
   * The rows of {@code write-random.mjs}, joined by versionstamp with the lines that it printed.
   */
  public List<Row> rows(List<String> lines) throws Exception {
    Map<Long, JsonNode> described = new HashMap<>();
    ObjectMapper json = new ObjectMapper();
    for (String line : lines) {
      JsonNode row = json.readTree(line);
      described.put(
          Long.parseUnsignedLong(row.get("versionstamp").asText().substring(0, 16), 16), row);
    }
    List<Row> rows = new ArrayList<>();
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement();
        ResultSet found =
            statement.executeQuery("select k, v, v_encoding, version from kv order by k")) {
      while (found.next()) {
        long version = found.getLong(4);
        JsonNode row = described.get(version);
        KvValue value = new KvValue(KvValue.Encoding.of(found.getInt(3)), blob(found, 2));
        rows.add(new Row(blob(found, 1), value, version, row.get("key"), row.get("dump").asText()));
      }
    }
    return rows;
  }

  /** Adds rows, all with one new version. */
  public void insert(Map<byte[], KvValue> rows) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url)) {
      connection.setAutoCommit(false);
      long version;
      try (Statement statement = connection.createStatement()) {
        statement.executeUpdate("update data_version set version = version + 1");
        version = statement.executeQuery("select version from data_version").getLong(1);
      }
      try (PreparedStatement insert =
          connection.prepareStatement(
              "insert into kv (k, v, v_encoding, version) values (?, ?, ?, ?)")) {
        for (Map.Entry<byte[], KvValue> row : rows.entrySet()) {
          insert.setBytes(1, row.getKey());
          insert.setBytes(2, row.getValue().bytes());
          insert.setInt(3, row.getValue().encoding().code());
          insert.setLong(4, version);
          insert.executeUpdate();
        }
      }
      connection.commit();
    }
  }

  /** The key of two short strings without zero bytes, as Deno encodes it. */
  public static byte[] key(String first, String second) {
    ByteBuffer key = ByteBuffer.allocate(first.length() + second.length() + 4);
    for (String part : List.of(first, second)) {
      key.put((byte) 2)
          .put(part.getBytes(java.nio.charset.StandardCharsets.US_ASCII))
          .put((byte) 0);
    }
    return key.array();
  }

  private static byte[] blob(ResultSet row, int column) throws SQLException {
    byte[] bytes = row.getBytes(column);
    return bytes == null ? new byte[0] : bytes;
  }
}
