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
import java.util.zip.Deflater;
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

  /** A checkout with {@code ./kv}, and an empty jar that is newer than its sources. */
  @BeforeEach
  void build() throws Exception {
    checkout = directory.resolve("checkout");
    Path target = Files.createDirectories(checkout.resolve("kv-server/target"));
    Files.createDirectories(checkout.resolve("kv-server/src/main"));
    Files.createFile(checkout.resolve("pom.xml"));
    Files.createFile(checkout.resolve("kv-server/pom.xml"));
    Files.copy(DocumentBlocks.ROOT.resolve("kv"), checkout.resolve("kv"));
    jar = Files.createFile(target.resolve("kv.jar"));
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
      out.setLevel(Deflater.NO_COMPRESSION);
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

  private KvProcess kv(Path java, String... arguments) throws IOException {
    Map<String, String> environment =
        Map.of(
            "JAVA_HOME",
            java.toString(),
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
    writeJar();
    try (ServedProcess server = ServedProcess.of(kv(JAVA, "serve", "--memory", "--port", "0"))) {
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
    try (KvProcess first = running()) {
      try (KvProcess second = running()) {
        assertThat(copies()).as("of one build").hasSize(1);
        Files.write(jar, new byte[1]);
        runToItsEnd();
        assertThat(copies()).as("the former one is in use").hasSize(2);
        end(second);
      }
      runToItsEnd();
      assertThat(copies()).hasSize(2);
      end(first);
    }
    runToItsEnd();
    assertThat(copies()).hasSize(1);
  }

  /** Starts the script with a program in place of Java that runs until its input ends. */
  private KvProcess running() throws IOException {
    Path home = directory.resolve("java");
    Path java = home.resolve("bin/java");
    if (!Files.exists(java)) {
      Files.createDirectories(java.getParent());
      Files.writeString(home.resolve("release"), "JAVA_VERSION=\"17.0.1\"\n");
      Files.writeString(java, "#!/bin/bash\necho \"$@\"\nexec cat\n");
      assertThat(java.toFile().setExecutable(true)).isTrue();
    }
    KvProcess kv = kv(home, "serve");
    assertThat(kv.line()).as(kv.err()).contains("-jar " + jar.resolveSibling("run"));
    return kv;
  }

  private static void end(KvProcess kv) throws Exception {
    kv.process().getOutputStream().close();
    assertThat(kv.end().exit()).isZero();
  }

  private void runToItsEnd() throws Exception {
    try (KvProcess kv = running()) {
      end(kv);
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
    writeJar();
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
