package io.kvreactive.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The log of a server whose store can no longer write, perhaps on the full disk. */
@EnabledOnOs(OS.LINUX)
class FailedStoreLogTest {
  private static final int REFUSED = 300;
  private static final int MAX_LINES = 150; // 5 a second

  @TempDir Path directory;

  @Test
  void logsRefusedWritesInFewLines() throws Exception {
    Path store = directory.resolve("store-of-this-test");
    KvProcess process =
        KvProcess.startWithSmallFiles(
            1024,
            "serve",
            "--port",
            "0",
            "--path",
            store.toString(),
            "--token",
            ServedProcess.TOKEN,
            "--access-log=false");
    try (ServedProcess server = ServedProcess.of(process)) {
      int refused = 0;
      for (int i = 0; refused < REFUSED; i++) {
        assertThat(i).isLessThan(2 * REFUSED);
        String path = "/api/v1/entry?key=%5B%22secret-key%22," + i + "%5D";
        HttpResponse<String> answer = server.send("PUT", path, "\"" + "x".repeat(60_000) + "\"");
        if (answer.statusCode() != 200) {
          assertThat(answer.statusCode()).isIn(500, 507);
          assertThat(answer.body()).doesNotContain("store-of-this-test");
          refused++;
        }
      }
      assertThat(process.err().lines().filter(line -> line.startsWith("\tat ")).count())
          .as("stack traces are of the store's own end alone")
          .isLessThan(100);
      assertThat(process.err().lines().filter(line -> line.contains("/api/v1/entry")))
          .hasSizeBetween(1, MAX_LINES)
          .allMatch(line -> line.contains("IO_FAILED") || line.contains("DISK_FULL"))
          .noneMatch(line -> line.contains("secret-key"));
    }
  }
}
