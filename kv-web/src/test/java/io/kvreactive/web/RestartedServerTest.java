package io.kvreactive.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.Kv;
import io.kvreactive.KvKey;
import io.kvreactive.KvU64;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** Clients of {@code Kv.connect} while their server restarts. */
@ExtendWith(VertxExtension.class)
class RestartedServerTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(120);
  private static final String TOKEN = "the-token-of-the-user";
  private static final KvKey KEY = KvKey.of("a");

  @TempDir Path directory;

  private Vertx vertx;
  private ServerOptions options;
  private KvServer first;
  private Kv kv;

  @BeforeEach
  void connect(Vertx vertx) throws IOException {
    this.vertx = vertx;
    options = ServerOptions.at(directory).withToken(TOKEN).withAddress("127.0.0.1", Ports.free());
    first = start();
    kv = get(Kv.connect(vertx, first.uri().toString(), TOKEN));
    get(kv.set(KEY, 1));
  }

  private KvServer start() {
    return get(KvServer.start(vertx, options));
  }

  private static <T> T get(Mono<T> mono) {
    T value = mono.block(TIMEOUT);
    assertThat(value).isNotNull();
    return value;
  }

  @Test
  void answersCallsOfTheTimeBetween() {
    first.close().block(TIMEOUT);
    Mono<Integer> read = kv.get(KEY, Integer.class).map(entry -> entry.required());
    Disposable reading = read.subscribe();
    // with an id, because it may be sent on a connection that has ended unnoticed
    Mono<?> write = kv.atomic().sum(KvKey.of("n"), 1).commitId("once").commit().cache();
    write.subscribe();
    KvServer second = start();
    assertThat(get(read)).isEqualTo(1);
    assertThat(get(write)).isNotNull();
    assertThat(get(kv.get(KvKey.of("n"))).value()).isEqualTo(KvU64.of(1));
    reading.dispose();
    kv.close().block(TIMEOUT);
    second.close().block(TIMEOUT);
  }

  @Test
  void resumesWatches() {
    KvServer[] second = new KvServer[1];
    StepVerifier.create(kv.watch(List.of(KEY), Object.class).map(state -> state.get(0).required()))
        .expectNext(1)
        .then(
            () -> {
              first.close().block(TIMEOUT);
              second[0] = start();
              // with an id, because it may be sent on a connection that has ended unnoticed
              get(kv.atomic().set(KEY, 2).commitId("second").commit());
            })
        .expectNext(2)
        .thenCancel()
        .verify(TIMEOUT);
    kv.close().block(TIMEOUT);
    second[0].close().block(TIMEOUT);
  }
}
