package io.kvreactive.web.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.kvreactive.testing.DenoRuntime;
import io.kvreactive.testing.RunningScript;
import io.kvreactive.testing.Tries;
import io.kvreactive.web.Ports;
import io.kvreactive.web.ServerOptions;
import io.kvreactive.web.TestServer;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The real Deno 2.9.6 and the real @deno/kv against a server. */
@Tag("other-runtime")
@Timeout(600) // a slow machine, or a cold download
@ExtendWith(VertxExtension.class)
class RealClientsTest {
  private static final String[] SCRIPTS = {
    "connect-client.mjs", "connect-suite.mjs", "connect-reconnect.mjs"
  };
  private static final String TOKEN_VARIABLE = "DENO_KV_ACCESS_TOKEN";
  private static final int STEPS = Tries.of(1200, 4000);

  /** The number of entries that the suite lists in every form. */
  static final String LISTED = "" + Tries.of(16, 100);

  /** The number of entries that a client lists which differs in details. */
  static final String LISTED_AGAIN = "" + Tries.of(0, 100);

  @TempDir Path work;
  @TempDir Path directory;
  private Vertx vertx;

  @BeforeEach
  void use(Vertx vertx) {
    this.vertx = vertx;
  }

  private DenoRuntime deno(String... scripts) {
    return DenoRuntime.in(work, scripts).with(TOKEN_VARIABLE, TestServer.TOKEN);
  }

  private NpmClient npm() {
    return NpmClient.in(work, SCRIPTS).with(TOKEN_VARIABLE, TestServer.TOKEN);
  }

  @Test
  void supportsDeno() {
    try (TestServer server = TestServer.start(vertx)) {
      var said =
          deno(SCRIPTS)
              .run(
                  "connect-suite.mjs",
                  server.uri("").toString(),
                  server.uri("/db/other").toString(),
                  LISTED);
      assertThat(said).contains("ok watch", "ok limits", "ok every form of a list", "done 14");
    }
  }

  /** Every version of the protocol; the third by default. */
  @ParameterizedTest
  @ValueSource(strings = {"", "1", "1,2"})
  void supportsNpmClient(String versions) throws Exception {
    try (TestServer server = TestServer.start(vertx, ServerOptions.at(directory));
        RunningScript suite =
            npm()
                .start(
                    "connect-suite.mjs",
                    server.uri("/db/one/").toString(),
                    server.uri("/").toString(),
                    versions.isEmpty() ? LISTED : LISTED_AGAIN,
                    versions)) {
      suite.awaitLine("done " + (versions.isEmpty() ? 12 : Tries.of(8, 11)));
      suite.awaitEnd();
    }
  }

  @Test
  void resumesDenoAfterARestart() throws Exception {
    TestServer server = TestServer.start(vertx, onAPortOfItsOwn());
    try (RunningScript script =
        deno(SCRIPTS).start("connect-reconnect.mjs", server.uri("/db/x").toString())) {
      goesOn(server, script);
    }
  }

  @Test
  void resumesNpmClientAfterARestart() throws Exception {
    TestServer server = TestServer.start(vertx, onAPortOfItsOwn());
    try (RunningScript script =
        npm().start("connect-reconnect.mjs", server.uri("/db/x").toString())) {
      goesOn(server, script);
    }
  }

  private ServerOptions onAPortOfItsOwn() throws IOException {
    return ServerOptions.at(directory).withAddress("127.0.0.1", Ports.free());
  }

  private void goesOn(TestServer server, RunningScript script) throws Exception {
    int port = server.port();
    script.awaitLine("watching");
    server.close();
    script.tell("down");
    script.awaitLine("waiting");
    TestServer again =
        TestServer.start(vertx, ServerOptions.at(directory).withAddress("127.0.0.1", port));
    try {
      script.tell("up");
      script.awaitLine("resumed");
      script.awaitEnd();
    } finally {
      again.close();
    }
  }

  /** Thousands of random operations have the same results as in Deno's own store. */
  @Test
  void behavesLikeTheStoreOfDeno() throws Exception {
    String seed = Integer.toString(new Random().nextInt(1 << 30));
    System.out.println("seed of the comparison with Deno's own store: " + seed);
    try (TestServer server = TestServer.start(vertx)) {
      var said =
          deno("connect-client.mjs", "connect-random.mjs", "values.mjs")
              .run("connect-random.mjs", server.uri("/").toString(), seed, "" + STEPS);
      JsonNode played = new ObjectMapper().readTree(said.get(said.size() - 1));
      for (String name : new String[] {"list", "atomic", "atomicconflict", "arithmeticrefused"}) {
        assertThat(played.path(name).intValue())
            .as("%s of seed %s", name, seed)
            .isGreaterThan(STEPS / 80);
      }
    }
  }
}
