package io.kvreactive.server;

import static io.kvreactive.server.CommandHost.KV;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.web.DocumentBlocks;
import io.kvreactive.web.ServerOptions;
import io.kvreactive.web.TestServer;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Runs packaging/backup/kv-backup against a server. */
@Timeout(600)
@ExtendWith(VertxExtension.class)
class BackupScriptTest {
  private record Result(int exit, String text) {}

  @TempDir Path directory;
  private Path backups;
  private Path elsewhere;
  private final Map<String, String> environment = new HashMap<>();

  @BeforeEach
  void prepare() throws IOException {
    backups = Files.createDirectory(directory.resolve("backups"));
    elsewhere = Files.createDirectory(directory.resolve("elsewhere"));
    Path copy =
        script(
            "copy",
            "mkdir -p '" + elsewhere + "'/\"$2\" && cp -r \"$1\"/. '" + elsewhere + "'/\"$2\"");
    environment.put("KV_COMMAND", KV.script(directory).toString());
    environment.put("KV_BACKUP_DIR", backups.toString());
    environment.put("KV_BACKUP_COPY", copy.toString());
    environment.put("KV_BACKUP_KEEP", "2");
  }

  private Path script(String name, String text) throws IOException {
    Path script = Files.writeString(directory.resolve(name), "#!/bin/bash\nset -e\n" + text + "\n");
    assertThat(script.toFile().setExecutable(true)).isTrue();
    return script;
  }

  private Result run(String... arguments) throws Exception {
    Path script = DocumentBlocks.ROOT.resolve("packaging/backup/kv-backup");
    ProcessBuilder builder =
        new ProcessBuilder(
                Stream.concat(Stream.of(script.toString()), Stream.of(arguments)).toList())
            .redirectErrorStream(true);
    builder.environment().putAll(environment);
    Process process = builder.start();
    process.getOutputStream().close();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Result(process.waitFor(), text);
  }

  private static List<String> names(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  void keepsTheNewestVerifiedBackupsAndCopiesAll(Vertx vertx) throws Exception {
    ServerOptions options = ServerOptions.at(directory.resolve("store"));
    try (TestServer server =
        TestServer.start(
            vertx, options.withRoutes(options.routes().withBackupDirectory(backups)))) {
      environment.putAll(KvRunner.environment(server));
      assertThat(KvRunner.on(server).run("set", "a", "1").exit()).isZero();
      for (int i = 0; i < 3; i++) {
        Result result = run();
        assertThat(result.exit()).as(result.text()).isZero();
        assertThat(result.text()).contains("sound: ", "kv-backup: default/");
      }
      assertThat(names(elsewhere.resolve("default"))).hasSize(3);
      List<String> kept = names(backups.resolve("default"));
      assertThat(kept).isEqualTo(names(elsewhere.resolve("default")).subList(1, 3));

      Result restored = run("drill");
      assertThat(restored.exit()).as(restored.text()).isZero();
      assertThat(restored.text()).contains("kv-backup: restored default/" + kept.get(1));

      environment.put("KV_TOKEN", "of-nobody-at-all");
      assertThat(run().exit()).as("not permitted").isEqualTo(4);
      assertThat(names(backups.resolve("default"))).isEqualTo(kept);
    }
    for (Path file : files(backups.resolve("default"))) {
      if (file.getFileName().toString().endsWith(".db")) {
        Files.write(file, new byte[100]);
      }
    }
    assertThat(run("drill").exit()).as("damaged").isNotZero();
  }

  private static List<Path> files(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.toList();
    }
  }

  @Test
  void rejectsWrongSettings() throws Exception {
    environment.put("KV_BACKUP_KEEP", "0");
    assertThat(run().text()).contains("KV_BACKUP_KEEP: 0 (expected: at least 1)");
    environment.remove("KV_BACKUP_DIR");
    assertThat(run().exit()).isNotZero();
  }
}
