package io.kvreactive.server;

import static io.kvreactive.server.CommandHost.KV;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.web.TestServer;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Text that commands take and print: strict UTF-8, and lone surrogates as escapes. */
@Timeout(600)
@ExtendWith(VertxExtension.class)
class TextCommandsTest {
  private static final byte[] MALFORMED = {'"', 'a', (byte) 0xFF, '"'};
  @TempDir Path directory;

  private KvProcess.Result local(byte[] input, String... arguments) throws Exception {
    String[] all = java.util.Arrays.copyOf(arguments, arguments.length + 2);
    all[arguments.length] = "--path";
    all[arguments.length + 1] = directory.resolve("store").toString();
    return KV.with(input, all);
  }

  private KvProcess.Result local(String... arguments) throws Exception {
    return local(new byte[0], arguments);
  }

  private static void refused(KvProcess.Result result, String message) {
    assertThat(result.exit()).as(result.err()).isEqualTo(2);
    assertThat(result.err()).contains(message);
  }

  @Test
  void rejectsInputThatIsNotUtf8() throws Exception {
    refused(local(MALFORMED, "set", "k", "-"), "the value: byte 2 is 0xff (expected: UTF-8)");
    Path lines = directory.resolve("lines");
    Files.write(
        lines, "{\"key\":[\"a\"],\"value\":\"\u00e4\"}\n".getBytes(StandardCharsets.ISO_8859_1));
    KvProcess.Result imported = local("import", lines.toString());
    refused(imported, "line 1: byte 22 is 0xe4 (expected: UTF-8)");
  }

  @Test
  void rejectsUndecodableArguments() throws Exception {
    Assumptions.assumeTrue("UTF-8".equals(System.getProperty("sun.jnu.encoding")));
    String[] set = {"set", "[\"\u00e4\"]", "1", "--path", directory.resolve("store").toString()};
    refused(
        KvProcess.run(Map.of("LC_ALL", "C"), "", set),
        "kv: an argument has bytes that are not text in the encoding ANSI_X3.4-1968");
  }

  @Test
  void passesLoneSurrogatesThrough(Vertx vertx) throws Exception {
    String item = "{\"id\":\"i\\udc00\",\"name\":\"\\ud83d\",\"\\ud800\":\"\ud83d\ude00\"}";
    String printed = item.substring(0, item.length() - 1) + ",\"_ts\":";
    try (TestServer server = TestServer.start(vertx)) {
      KvRunner there = KvRunner.on(server);
      there.run("collection", "create", "t");
      assertThat(there.with(item, "item", "put", "t", "-").out()).startsWith(printed);
      assertThat(there.run("query", "t", "SELECT * FROM c").out()).startsWith(printed);
    }
  }

  @Test
  void readsAndDeletesUnparseableKeys() throws Exception {
    String key = "{\"$key\":\"AA==\"}";
    String line = "{\"key\":" + key + ",\"value\":7}\n";
    assertThat(local(line.getBytes(StandardCharsets.UTF_8), "import").exit()).isZero();
    assertThat(local("get", key).out()).isEqualTo("7");
    assertThat(local("del", key).exit()).isZero();
  }
}
