package io.kvreactive;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.kvreactive.ListOptions.Consistency;
import io.vertx.core.AbstractVerticle;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A heavy mixed load from an event loop never holds it up: Vert.x's own checker watches. */
class EventLoopLoadTest {
  private static final int WRITES = 20_000;

  @TempDir Path directory;
  private Vertx vertx;
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  private final Logger root = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);

  @BeforeEach
  void start() {
    vertx =
        Vertx.vertx(
            new VertxOptions()
                .setMaxEventLoopExecuteTime(200)
                .setMaxEventLoopExecuteTimeUnit(TimeUnit.MILLISECONDS)
                .setBlockedThreadCheckInterval(50)
                .setBlockedThreadCheckIntervalUnit(TimeUnit.MILLISECONDS));
    log.start();
    root.addAppender(log);
  }

  @AfterEach
  void stop() throws Exception {
    root.detachAppender(log);
    vertx.close().await(10, TimeUnit.SECONDS);
  }

  @Test
  void heavyMixedLoadBlocksNoEventLoop() throws Exception {
    vertx
        .deployVerticle(new Load(KvOptions.at(directory).withMemoryBytes(1 << 20)))
        .await(40, TimeUnit.SECONDS);

    assertThat(log.list)
        .filteredOn(event -> event.getLevel().isGreaterOrEqual(Level.WARN))
        .extracting(ILoggingEvent::getFormattedMessage)
        .isEmpty();
  }

  /** Opens, loads and closes a store, all from its event loop. */
  private static final class Load extends AbstractVerticle {
    private final KvOptions options;

    Load(KvOptions options) {
      this.options = options;
    }

    @Override
    public void start(Promise<Void> done) {
      Kv.open(vertx, options)
          .flatMap(kv -> warmUp(kv).then(load(kv)).then(kv.close()))
          .timeout(Duration.ofSeconds(40))
          .subscribe(ignored -> {}, done::fail, done::complete);
    }

    /** Classes are loaded and the first pages exist before the clock counts. */
    private static Mono<?> warmUp(Kv kv) {
      return writes(kv, 500).then(kv.list(KvRange.all()).count());
    }

    private static Mono<?> writes(Kv kv, int count) {
      return Flux.range(0, count)
          .flatMap(i -> kv.set(KvKey.of("n", i), "x".repeat(i % 50 == 0 ? 50_000 : 100)), 256)
          .then();
    }

    private static Mono<?> load(Kv kv) {
      ListOptions snapshot = ListOptions.DEFAULT.withConsistency(Consistency.SNAPSHOT);
      KvRange range = KvRange.prefix("n");
      List<KvKey> keys =
          java.util.stream.IntStream.range(0, 1000).mapToObj(i -> KvKey.of("n", i)).toList();
      var watch = kv.watch(KvKey.of("n", 1)).subscribe();
      return Flux.merge(
              writes(kv, WRITES),
              kv.list(range).count().repeat(10),
              kv.list(range, snapshot).retry(100).count().repeat(5),
              kv.getMany(keys).retry(100).count().repeat(10),
              kv.count(range).retry(100).repeat(10),
              Flux.range(0, 5000).flatMap(i -> kv.get(KvKey.of("n", i)), 64),
              kv.atomic()
                  .deleteRange(KvRange.prefix("n", 3))
                  .sum(KvKey.of("s"), 1)
                  .commit()
                  .repeat(500))
          .then(kv.count(range))
          .doOnNext(count -> assertThat(count).isEqualTo(WRITES))
          .doFinally(ignored -> watch.dispose());
    }
  }
}
