package io.kvreactive.internal.value;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.kvreactive.KvKey;
import io.kvreactive.KvU64;
import io.kvreactive.KvValue;
import io.kvreactive.testing.DenoFile;
import io.kvreactive.testing.DenoRuntime;
import java.math.BigInteger;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Keys and values in the file of Deno's own store, written and read by the real Deno. */
@Timeout(600) // a slow machine, or a cold download
class DenoFileInteropTest {
  private static final String[] SCRIPTS = {"values.mjs", "write-random.mjs", "dump-rows.mjs"};
  private static final int ROWS = 800;

  private final ValueMapper values = new ValueMapper();

  @TempDir Path work;

  @Test
  void roundTripsValuesOfDenoByteForByte() throws Exception {
    DenoRuntime deno = DenoRuntime.in(work, SCRIPTS);
    Path file = work.resolve("kv.sqlite3");
    List<String> lines = deno.run("write-random.mjs", file.toString(), "20261120", "" + ROWS);
    List<DenoFile.Row> rows = new DenoFile(file).rows(lines);

    assertThat(rows).hasSize(ROWS);
    for (DenoFile.Row row : rows) {
      Object natural = values.decode(row.value(), Object.class);
      assertThat(ValueDump.of(natural)).as("row %s", row.keyParts()).isEqualTo(row.dump());

      KvValue again = values.encode(natural);
      assertThat(again.encoding()).isEqualTo(row.value().encoding());
      byte[] expected = row.value().bytes().clone();
      if (again.encoding() == KvValue.Encoding.V8) {
        assertThat(expected[1]).as("version").isEqualTo((byte) 16);
        expected[1] = 15;
      }
      assertThat(again.bytes()).as("row %s: %s", row.keyParts(), row.dump()).isEqualTo(expected);
    }
    assertThat(rows).extracting(row -> row.value().encoding()).contains(KvValue.Encoding.values());
  }

  @Test
  void roundTripsKeysOfDenoByteForByte() throws Exception {
    DenoRuntime deno = DenoRuntime.in(work, SCRIPTS);
    Path file = work.resolve("kv.sqlite3");
    List<String> lines = deno.run("write-random.mjs", file.toString(), "77", "" + ROWS);
    List<DenoFile.Row> rows = new DenoFile(file).rows(lines);

    assertThat(rows).hasSize(ROWS);
    for (DenoFile.Row row : rows) {
      List<Object> parts = new ArrayList<>();
      row.keyParts().forEach(part -> parts.add(part(part)));
      assertThat(KvKey.of(parts).bytes()).as("%s", row.keyParts()).isEqualTo(row.key());
      assertThat(KvKey.decode(row.key()).append().bytes()).isEqualTo(row.key());
      assertThat(KvKey.of(KvKey.decode(row.key()).parts()).bytes()).isEqualTo(row.key());
    }
  }

  private static Object part(JsonNode described) {
    String value = described.get("value").asText();
    return switch (described.get("type").asText()) {
      case "string" -> value;
      case "bytes" -> HexFormat.of().parseHex(value);
      case "bigint" -> new BigInteger(value);
      case "number" -> Double.parseDouble(value);
      case "boolean" -> Boolean.parseBoolean(value);
      default -> throw new AssertionError(described);
    };
  }

  @Test
  void writesValuesThatDenoReads() throws Exception {
    DenoRuntime deno = DenoRuntime.in(work, SCRIPTS);
    Path file = work.resolve("kv.sqlite3");
    deno.run("write-random.mjs", file.toString(), "1", "1");

    Map<String, String> dumps = new TreeMap<>();
    Map<byte[], KvValue> rows = new LinkedHashMap<>();
    for (int seed = 0; seed < ROWS; seed++) {
      Object value = seed == 0 ? new KvU64(-1L) : RandomValues.of(seed);
      String name = "row" + seed;
      dumps.put(name, ValueDump.of(value));
      rows.put(DenoFile.key("java", name), values.encode(value));
    }
    new DenoFile(file).insert(rows);

    ObjectMapper json = new ObjectMapper();
    Map<String, String> seen = new HashMap<>();
    for (String line : deno.run("dump-rows.mjs", file.toString(), "java")) {
      JsonNode row = json.readTree(line);
      seen.put(row.get("name").asText(), row.get("dump").asText());
    }
    assertThat(seen.keySet()).isEqualTo(dumps.keySet());
    dumps.forEach((name, dump) -> assertThat(seen.get(name)).as(name).isEqualTo(dump));
  }
}
