package io.kvreactive.server;

import static io.kvreactive.server.CommandHost.KV;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.web.Certificates;
import io.kvreactive.web.Certificates.Issued;
import io.kvreactive.web.ServerOptions;
import io.kvreactive.web.TestServer;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Exit codes by cause of a failure: caller, operator or store. */
@Timeout(600)
@ExtendWith(VertxExtension.class)
class ExitCodeMapperTest {
  @TempDir Path directory;

  private static void assertWrong(KvProcess.Result result, String text) {
    assertThat(result.exit()).as(result.err()).isEqualTo(ExitCode.USAGE);
    assertThat(result.err()).startsWith("kv: ").contains(text).hasLineCount(1);
  }

  @Test
  void blamesTheCallerForRefusalsOfTheServer(Vertx vertx) throws Exception {
    ServerOptions options = ServerOptions.at(directory);
    try (TestServer server =
        TestServer.start(vertx, options.withRoutes(options.routes().withMaxBodyBytes(4096)))) {
      KvRunner there = KvRunner.on(server);
      assertThat(there.run("set", "a", "\"text\"").exit()).isZero();
      String sum =
          "{\"mutations\":[{\"type\":\"sum\",\"key\":[\"a\"],\"value\":{\"$u64\":\"1\"}}]}";
      assertWrong(there.with(sum, "atomic"), "TYPE_MISMATCH");
      assertWrong(
          there.with("x".repeat(5000), "set", "b", "-", "--as", "string"), "PAYLOAD_TOO_LARGE");
      String[] create = {"token", "create", "app", "--access", "READ"};
      assertThat(there.run(create).exit()).isZero();
      assertWrong(there.run(create), "NAME_TAKEN");
      assertWrong(there.run("token", "revoke", "nobody"), "NOT_FOUND");
      assertWrong(KV.run("get", "a", "--path", directory.toString()), "LOCKED");
    }
  }

  @Test
  void blamesTheCallerForMissingFiles() throws Exception {
    String none = directory.resolve("none").toString();
    String store = directory.resolve("store").toString();
    assertWrong(KV.run("get", "a", "--path", none), "store not found in " + none);
    assertThat(KV.run("set", "a", "1", "--path", store).exit()).isZero();
    assertWrong(KV.run("import", none, "--path", store), "no such file or directory: " + none);
    assertWrong(
        KV.run("set", "a", "--file", none, "--path", store), "no such file or directory: " + none);
    assertWrong(
        KV.run("export", "--file", none + "/out", "--path", store),
        "no such file or directory: " + none);
    Path text = Files.writeString(directory.resolve("lines.gz"), "not compressed");
    assertWrong(KV.run("import", text.toString(), "--path", store), "cannot be read");
  }

  private static KvProcess.Result serve(String... flags) throws Exception {
    List<String> all = new ArrayList<>(List.of("serve", "--memory", "--port", "0"));
    all.addAll(List.of(flags));
    return KV.run(all.toArray(String[]::new));
  }

  private static void assertMisconfigured(KvProcess.Result result, String text) {
    assertThat(result.exit()).as(result.err()).isEqualTo(ExitCode.USAGE);
    assertThat(result.err().lines().filter(line -> line.startsWith("kv: ")))
        .singleElement()
        .asString()
        .contains(text);
  }

  @Test
  void blamesTheOperatorForUnusableServerFiles() throws Exception {
    Certificates authority = new Certificates(directory, "authority");
    Issued own = authority.issue("server");
    String certificate = own.certificate().toString();
    String foreign = authority.issue("other").key().toString();
    String none = directory.resolve("none.pem").toString();
    String broken = Files.writeString(directory.resolve("broken"), "{").toString();
    assertMisconfigured(
        serve("--tls-cert", none, "--tls-key", own.key().toString()),
        "file " + none + " not found");
    assertMisconfigured(
        serve("--tls-cert", certificate, "--tls-key", foreign),
        foreign + ": the key does not belong to the certificate");
    assertMisconfigured(
        serve(
            "--tls-cert",
            certificate,
            "--tls-key",
            own.key().toString(),
            "--tls-client-ca",
            broken,
            "--tls-clients",
            "REQUIRED"),
        broken + ": ");
    assertMisconfigured(serve("--tokens", broken), broken + " is not JSON");
  }

  @Test
  void blamesNoConfigurationForAPortInUse() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      KvProcess.Result result =
          KV.run("serve", "--memory", "--port", String.valueOf(taken.getLocalPort()));
      assertThat(result.exit()).as(result.err()).isEqualTo(ExitCode.NO);
      assertThat(result.err()).contains("kv: cannot listen on 127.0.0.1:" + taken.getLocalPort());
    }
  }

  @Test
  void blamesNoConfigurationForADamagedStore() throws Exception {
    Path store = directory.resolve("store");
    assertThat(KV.run("set", "a", "1", "--path", store.toString()).exit()).isZero();
    Files.writeString(store.resolve("store"), "not what it was");
    KvProcess.Result result = KV.run("get", "a", "--path", store.toString());
    assertThat(result.exit()).isEqualTo(ExitCode.FAILED);
    assertThat(result.err()).contains("CORRUPT");
  }
}
