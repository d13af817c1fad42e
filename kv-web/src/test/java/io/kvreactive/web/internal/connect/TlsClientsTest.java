package io.kvreactive.web.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.testing.DenoRuntime;
import io.kvreactive.testing.RunningScript;
import io.kvreactive.testing.Tries;
import io.kvreactive.web.Certificates;
import io.kvreactive.web.ServerOptions;
import io.kvreactive.web.TestServer;
import io.kvreactive.web.TlsOptions;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The real Deno and the real @deno/kv over HTTPS, with a certificate authority of the test. */
@Tag("other-runtime")
@Timeout(600) // a slow machine, or a cold download
@ExtendWith(VertxExtension.class)
class TlsClientsTest {
  private static final String ALPN = "connect-alpn.mjs";
  private static final String SUITE = "connect-suite.mjs";
  private static final String[] SCRIPTS = {"connect-client.mjs", SUITE, ALPN};

  @TempDir Path work;
  @TempDir static Path keys;
  private static String authority;
  private static TestServer server;

  @BeforeAll
  static void start(Vertx vertx) throws Exception {
    Certificates certificates = new Certificates(keys, "authority");
    authority = certificates.ca().toString();
    var issued = certificates.issue("server");
    server =
        TestServer.start(
            vertx,
            ServerOptions.inMemory().withTls(TlsOptions.of(issued.certificate(), issued.key())));
    assertThat(server.uri("/").getScheme()).isEqualTo("https");
  }

  @AfterAll
  static void close() {
    server.close();
  }

  private String uri(String path) {
    return server.uri(path).toString();
  }

  @Test
  void supportsDenoOverHttp2() {
    DenoRuntime deno =
        DenoRuntime.in(work, SCRIPTS)
            .with("DENO_KV_ACCESS_TOKEN", TestServer.TOKEN)
            .with("DENO_CERT", authority);
    assertThat(deno.run(ALPN, "127.0.0.1", "" + server.port())).contains("h2", "http/1.1");
    assertThat(deno.run(SUITE, uri(""), uri("/db/other"), RealClientsTest.LISTED))
        .contains("ok watch", "done 14");
  }

  @Test
  void supportsNpmClient() throws Exception {
    NpmClient npm =
        NpmClient.in(work, SCRIPTS)
            .with("DENO_KV_ACCESS_TOKEN", TestServer.TOKEN)
            .with("NODE_EXTRA_CA_CERTS", authority);
    try (RunningScript script = npm.start(ALPN, "127.0.0.1", "" + server.port())) {
      script.awaitLine("h2");
      script.awaitLine("http/1.1");
      script.awaitEnd();
    }
    String listed = RealClientsTest.LISTED_AGAIN;
    try (RunningScript suite = npm.start(SUITE, uri("/db/one/"), uri("/db/two/"), listed, "")) {
      suite.awaitLine("done " + Tries.of(9, 12));
      suite.awaitEnd();
    }
  }

  @Test
  void connectsNoClientThatDoesNotTrustTheAuthority(@TempDir Path other) throws Exception {
    NpmClient npm = NpmClient.in(work, SCRIPTS);
    try (RunningScript script = npm.start(ALPN, "127.0.0.1", "" + server.port())) {
      script.awaitLine("refused");
      script.awaitEnd();
    }
    assertThat(DenoRuntime.in(other, ALPN, SCRIPTS[0]).run(ALPN, "127.0.0.1", "" + server.port()))
        .contains("refused");
  }
}
