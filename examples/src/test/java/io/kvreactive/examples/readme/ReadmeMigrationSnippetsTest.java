package io.kvreactive.examples.readme;

import static io.kvreactive.examples.MemoryStore.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.Kv;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.ListOptions;
import io.kvreactive.LoadProgress;
import io.kvreactive.examples.MemoryStore;
import io.kvreactive.web.KvServer;
import io.kvreactive.web.ServerOptions;
import io.vertx.core.Vertx;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.publisher.Flux;

/** Runs the Java of the page about migration, like {@link ReadmeSnippetsTest}. */
class ReadmeMigrationSnippetsTest {
  private static final String TOKEN = "sixteen-letters-x";

  @RegisterExtension final MemoryStore store = new MemoryStore();
  private Vertx vertx;
  private Kv kv;

  @BeforeEach
  void setUp() {
    vertx = store.vertx();
    kv = store.kv();
  }

  @Test
  void copiesFromAnotherServer() {
    ServerOptions options = ServerOptions.inMemory().withAddress("127.0.0.1", 0).withToken(TOKEN);
    KvServer other = await(KvServer.start(vertx, options));
    String url = other.uri().toString();
    String token = TOKEN;
    Kv there = await(Kv.connect(vertx, url, token));
    await(there.set(KvKey.of("users", "ada"), Map.of("name", "Ada")));
    // snippet: copy
    Flux<LoadProgress> copying =
        Flux.usingWhen(
            Kv.connect(vertx, url, token), // where the data is
            from ->
                kv.admin()
                    .importLines(from.admin().exportLines(KvRange.all(), ListOptions.DEFAULT)),
            Kv::close);
    // end
    assertThat(await(copying.last()).entries()).isEqualTo(1);
    assertThat(await(kv.get(KvKey.of("users", "ada"))).value()).isEqualTo(Map.of("name", "Ada"));
    await(there.close());
    await(other.close());
  }

  /** The mapping of Redis: a counter, a set's member, a sorted set and a list as keys. */
  @Test
  void mapsRedisTypesToKeys() {
    // snippet: redis
    var writes =
        kv.atomic()
            .sum(KvKey.of("visits"), 1) // INCR visits
            .set(KvKey.of("tags", "post-7", "java"), true) // SADD tags:post-7 java
            .set(KvKey.of("scores", 1200, "ada"), true) // ZADD scores 1200 ada
            .setVersionstamped(KvKey.of("log", "ada"), "signed in") // RPUSH log:ada "signed in"
            .commit();
    var best = kv.list(KvRange.prefix("scores"), ListOptions.DEFAULT.withReverse(true)).take(10);
    // end
    assertThat(await(writes).committed()).isTrue();
    assertThat(await(best.next()).key()).isEqualTo(KvKey.of("scores", 1200, "ada"));
    assertThat(await(kv.list(KvRange.prefix("log", "ada")).next()).value()).isEqualTo("signed in");
  }
}
