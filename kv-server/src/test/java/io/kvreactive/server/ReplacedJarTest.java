package io.kvreactive.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.web.DocumentBlocks;
import io.kvreactive.web.RawConnection;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Servers whose jar a build overwrites while they run. */
@Timeout(600)
class ReplacedJarTest {
  private static final Path JAVA = Path.of(System.getProperty("java.home"));

  @TempDir Path directory;
  private Path checkout;
  private Path jar;

  /** A checkout with {@code ./kv}, and a jar that is newer than its sources. */
  @BeforeEach
  void build() throws Exception {
    checkout = directory.resolve("checkout");
    Path target = Files.createDirectories(checkout.resolve("kv-server/target"));
    Files.createDirectories(checkout.resolve("kv-server/src/main"));
    Files.createFile(checkout.resolve("pom.xml"));
    Files.createFile(checkout.resolve("kv-server/pom.xml"));
    Files.copy(DocumentBlocks.ROOT.resolve("kv"), checkout.resolve("kv"));
    jar = target.resolve("kv.jar");
    writeJar();
    Files.createFile(target.resolve("kv-server-0.1.0.jar"));
    Files.createFile(target.resolve(".kv-built"));
  }

  /** Writes the classes of the server and its routes into the jar, which refers to all others. */
  private void writeJar() throws IOException {
    Manifest manifest = new Manifest();
    Attributes main = manifest.getMainAttributes();
    main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    main.put(Attributes.Name.MAIN_CLASS, KvProcess.MAIN);
    List<Path> all = SharedClasses.elements().toList();
    main.put(
        Attributes.Name.CLASS_PATH,
        all.stream().map(each -> each.toUri().toString()).collect(Collectors.joining(" ")));
    Set<String> written = new HashSet<>(Set.of("META-INF/MANIFEST.MF"));
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest)) {
      for (Path classes : all) {
        String name = classes.toString();
        if (!Files.isDirectory(classes)
            || !(name.contains("kv-web") || name.contains("kv-server"))) {
          continue;
        }
        try (Stream<Path> files = Files.walk(classes)) {
          for (Path file : files.filter(Files::isRegularFile).toList()) {
            String entry = classes.relativize(file).toString().replace(File.separatorChar, '/');
            if (written.add(entry)) {
              out.putNextEntry(new ZipEntry(entry));
              Files.copy(file, out);
            }
          }
        }
      }
    }
  }

  private KvProcess kv(String... arguments) throws IOException {
    Map<String, String> environment =
        Map.of(
            "JAVA_HOME",
            JAVA.toString(),
            "KV_SERVER_TOKEN",
            ServedProcess.TOKEN,
            "KV_JAVA_OPTS",
            "-XX:+UseSerialGC -XX:TieredStopAtLevel=1");
    return KvProcess.launch(
        environment,
        Stream.concat(Stream.of("bash", checkout.resolve("kv").toString()), Stream.of(arguments))
            .toList());
  }

  @Test
  void serversOfTheScriptDoNotNoticeABuild() throws Exception {
    try (ServedProcess server = ServedProcess.of(kv("serve", "--memory", "--port", "0"))) {
      Files.write(jar, new byte[1000]);
      assertThat(server.send("GET", "/", "").body()).contains("<html");
      assertThat(server.send("PUT", "/api/v1/entry?key=[1]", "1").statusCode()).isEqualTo(200);
      String collection = "/api/v1/collections/c";
      assertThat(server.send("PUT", collection, "{}").statusCode()).isEqualTo(201);
      assertThat(server.send("POST", collection + "/items", "{\"id\":\"a\"}").statusCode())
          .isEqualTo(201);
      assertThat(
              server.send("POST", collection + "/query", "{\"query\":\"SELECT * FROM c\"}").body())
          .contains("\"a\"");
      assertThat(server.send("GET", "/openapi.json", "").statusCode()).isEqualTo(200);
      try (RawConnection socket = new RawConnection(server.port())) {
        socket.send(
            "GET /api/v1/stream HTTP/1.1",
            "Host: 127.0.0.1",
            "Authorization: Bearer " + ServedProcess.TOKEN,
            "Connection: Upgrade",
            "Upgrade: websocket",
            "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            "");
        assertThat(socket.readHead()).startsWith("HTTP/1.1 101");
      }
      server.terminate();
      assertThat(server.process.end().exit()).isZero();
    }
  }

  @Test
  void keepsOneCopyOfEachBuildInUse() throws Exception {
    try (ServedProcess first = ServedProcess.of(kv("serve", "--memory", "--port", "0"))) {
      try (ServedProcess second = ServedProcess.of(kv("serve", "--memory", "--port", "0"))) {
        assertThat(copies()).as("of one build").hasSize(1);
        writeJar();
        assertThat(printConfig()).isZero();
        assertThat(copies()).as("the former one is in use").hasSize(2);
        second.terminate();
        assertThat(second.process.end().exit()).isZero();
      }
      assertThat(printConfig()).isZero();
      assertThat(copies()).hasSize(2);
      first.terminate();
      assertThat(first.process.end().exit()).isZero();
    }
    assertThat(printConfig()).isZero();
    assertThat(copies()).hasSize(1);
  }

  private int printConfig() throws Exception {
    try (KvProcess printed = kv("serve", "--memory", "--print-config")) {
      return printed.end().exit();
    }
  }

  private List<Path> copies() throws IOException {
    try (Stream<Path> copies = Files.list(jar.resolveSibling("run"))) {
      return copies.toList();
    }
  }

  /** A jar that is overwritten in place, such as by {@code cp}. */
  @Test
  void aServerWithoutItsJarStopsInOrder() throws Exception {
    Path loaded = directory.resolve("loaded");
    List<String> command = KvProcess.java();
    command.addAll(
        List.of("-Xlog:class+load:file=" + loaded, "-jar", jar.toString(), "serve", "--path"));
    command.addAll(List.of(directory.resolve("store").toString(), "--port", "0"));
    Map<String, String> environment = Map.of("KV_SERVER_TOKEN", ServedProcess.TOKEN);
    try (ServedProcess server = ServedProcess.of(KvProcess.launch(environment, command))) {
      assertThat(server.send("PUT", "/api/v1/entry?key=[1]", "1").statusCode()).isEqualTo(200);
      Files.write(jar, new byte[1000]);
      server.terminate();
      assertThat(server.process.end().exit()).isZero();
    }
    List<String> lines = Files.readAllLines(loaded);
    int signal = 0;
    while (!lines.get(signal).contains("jdk.internal.misc.Signal$1 ")) {
      signal++;
    }
    assertThat(lines.subList(signal, lines.size()))
        .as("shutdown-classes.txt has the classes; those of libraries depend on timing")
        .noneMatch(line -> line.contains("] io.kvreactive.") && line.contains("source: file:"));
  }
}
