package io.kvreactive.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.io.OutputStream;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Tokens whose file is on a full disk, or cannot be written. */
@ExtendWith(VertxExtension.class)
class TokensOnFullDiskTest {
  @TempDir static Path temp;
  private Path disk;

  @BeforeEach
  void mount() throws Exception {
    disk = Files.createDirectory(temp.resolve("disk"));
    assumeTrue(
        run("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk.toString()),
        "mounting a small file system needs root");
  }

  @AfterEach
  void unmount() throws Exception {
    run("umount", "-l", disk.toString());
    Files.delete(disk);
  }

  private static boolean run(String... command) throws InterruptedException {
    try {
      return new ProcessBuilder(command).start().waitFor() == 0;
    } catch (IOException e) {
      return false; // the program is not installed
    }
  }

  private static HttpResponse<String> create(TestServer server, String name) throws Exception {
    return server.post("/api/v1/tokens", "{\"name\":\"" + name + "\",\"access\":[\"READ\"]}");
  }

  @Test
  void answersDiskFullAndCreatesThemWhenThereIsSpace(Vertx vertx) throws Exception {
    Path ballast = disk.resolve("ballast");
    SecurityOptions tokens = SecurityOptions.DEFAULT.withTokens(disk.resolve("tokens.json"));
    try (TestServer server =
        TestServer.start(vertx, ServerOptions.inMemory().withSecurity(tokens))) {
      assertThat(create(server, "before").statusCode()).isEqualTo(201);
      fill(ballast);
      HttpResponse<String> refused = create(server, "during");
      assertThat(refused.statusCode()).as(refused.body()).isEqualTo(507);
      assertThat(refused.body()).contains("DISK_FULL");
      HttpResponse<String> kept =
          server.send("DELETE", "/api/v1/tokens/before", "", request -> request);
      assertThat(kept.statusCode()).as(kept.body()).isEqualTo(507);
      Files.delete(ballast);
      assertThat(create(server, "during").statusCode()).isEqualTo(201);
      assertThat(server.get("/api/v1/tokens").body()).contains("before", "during");
      Files.delete(disk.resolve("tokens.json"));
      Files.createDirectory(disk.resolve("tokens.json"));
      HttpResponse<String> unreadable = create(server, "after");
      assertThat(unreadable.statusCode()).isEqualTo(500);
      assertThat(unreadable.body()).contains("IO_FAILED").doesNotContain(disk.toString());
    }
  }

  private static void fill(Path file) throws IOException {
    try (OutputStream out = Files.newOutputStream(file)) {
      byte[] page = new byte[4096];
      for (int i = 0; i < 1000; i++) {
        out.write(page);
      }
    } catch (IOException full) {
      assertThat(full).hasMessageContaining("No space left");
    }
  }
}
