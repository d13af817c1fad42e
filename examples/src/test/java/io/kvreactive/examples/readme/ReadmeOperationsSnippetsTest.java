package io.kvreactive.examples.readme;

import static io.kvreactive.examples.MemoryStore.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.BackupProgress;
import io.kvreactive.CompactionProgress;
import io.kvreactive.Kv;
import io.kvreactive.KvKey;
import io.kvreactive.KvOptions;
import io.kvreactive.KvRange;
import io.kvreactive.KvStats;
import io.kvreactive.KvStores;
import io.kvreactive.LoadProgress;
import io.kvreactive.RestoreOptions;
import io.kvreactive.RestoreResult;
import io.kvreactive.VerifyReport;
import io.kvreactive.examples.AnonymousAttack;
import io.kvreactive.json.KvLines;
import io.kvreactive.web.KvRoutes;
import io.kvreactive.web.KvServer;
import io.kvreactive.web.RoutesOptions;
import io.kvreactive.web.ServerOptions;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.ext.web.Router;
import io.vertx.junit5.VertxExtension;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Runs the Java of the guides about server and maintenance, like {@link ReadmeSnippetsTest}. */
@ExtendWith(VertxExtension.class)
class ReadmeOperationsSnippetsTest {
  @TempDir private Path temp;
  private Vertx vertx;
  private Path directory;
  private Kv kv;

  @BeforeEach
  void open(Vertx vertx) {
    this.vertx = vertx;
    directory = temp.resolve("store");
    kv = await(Kv.open(vertx, KvOptions.at(directory)));
    await(kv.set(KvKey.of("a"), 1));
  }

  @AfterEach
  void close() {
    await(kv.close());
  }

  @Test
  void connect() {
    String token = "sixteen-letters-x";
    ServerOptions local = ServerOptions.inMemory().withAddress("127.0.0.1", 0).withToken(token);
    KvServer server = await(KvServer.start(vertx, local));
    String url = server.uri().toString();
    // snippet: connect
    Mono<Kv> remote = Kv.connect(vertx, url, token); // KV Connect is the protocol
    // end
    Kv connected = await(remote);
    await(connected.set(KvKey.of("a"), 1));
    assertThat(await(connected.get(KvKey.of("a"))).value()).isEqualTo(1);
    await(connected.close());
    await(server.close());
  }

  @Test
  void mount() throws Exception {
    Router router = Router.router(vertx);
    String token = "sixteen-letters-x";
    // snippet: mount
    Router store = Router.router(vertx);
    KvRoutes routes = KvRoutes.mount(vertx, store, kv, RoutesOptions.DEFAULT, token);
    router.route("/kv/*").subRouter(store);
    // end
    HttpServer server =
        vertx.createHttpServer().requestHandler(router).listen(0, "127.0.0.1").await();
    AnonymousAttack.isRefused(URI.create("http://127.0.0.1:" + server.actualPort() + "/kv"), token);
    assertThat(await(kv.get(KvKey.of("a"))).value()).as("nothing was deleted").isEqualTo(1);
    await(routes.close());
    server.close().await();
  }

  @Test
  void backup() {
    Path monday = temp.resolve("monday");
    Path restored = temp.resolve("restored");
    // snippet: backup
    Flux<BackupProgress> backup = kv.admin().backup(monday); // does not stop writers

    Instant beforeTheMistake = Instant.parse("2026-11-20T09:59:00Z");
    Mono<RestoreResult> restore =
        KvStores.restore(
            monday, restored, RestoreOptions.DEFAULT.withLog(directory).until(beforeTheMistake));
    // end
    assertThat(await(backup.last()).isDone()).isTrue();
    await(kv.set(KvKey.of("b"), 2));
    RestoreOptions all = RestoreOptions.DEFAULT.withLog(directory);
    assertThat(await(KvStores.restore(monday, restored, all)).commitsOfLog()).isEqualTo(1);
    assertThat(restore).isNotNull();
    Kv again = await(Kv.open(vertx, KvOptions.at(restored)));
    assertThat(await(again.get(KvKey.of("b"))).value()).isEqualTo(2);
    await(again.close());
  }

  @Test
  void lines() {
    Path file = temp.resolve("users.jsonl.gz");
    // snippet: lines
    Mono<Long> exported = KvLines.write(kv, KvRange.prefix("users"), file);
    Flux<LoadProgress> imported = KvLines.read(kv, file);
    // end
    await(kv.set(KvKey.of("users", "ada"), 36));
    assertThat(await(exported)).isEqualTo(1);
    assertThat(Files.exists(file)).isTrue();
    assertThat(await(imported.last()).entries()).isEqualTo(1);
  }

  @Test
  void care() {
    // snippet: care
    Flux<VerifyReport> reports = kv.admin().verify(); // KvStores.verify(directory) if it is closed
    Flux<CompactionProgress> compaction = kv.admin().compact();
    Mono<KvStats> stats = kv.admin().stats();
    // end
    assertThat(await(reports.last()).sound()).isTrue();
    assertThat(await(compaction.last()).done()).isTrue();
    assertThat(await(stats).commits().commits()).isPositive();
  }
}
