package io.kvreactive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.kvreactive.testing.ChildJvm;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.ThreadingModel;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.reactivestreams.Publisher;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.util.retry.Retry;

/** Opening, naming and closing stores. */
@ExtendWith(VertxExtension.class)
class LifecycleTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final KvKey K = KvKey.of("k");

  @TempDir Path directory;
  private Vertx vertx;

  @BeforeEach
  void use(Vertx vertx) {
    this.vertx = vertx;
  }

  private Kv open(KvOptions options) {
    return Kv.open(vertx, options).block(TIMEOUT);
  }

  private static void failsWith(KvErrorCode code, Publisher<?> publisher) {
    assertThatThrownBy(() -> Flux.from(publisher).blockLast(TIMEOUT))
        .isInstanceOfSatisfying(KvException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  @Test
  void failsWithLockedForAnOpenDirectoryAlsoInAnotherProcess() throws Exception {
    Kv first = open(KvOptions.at(directory));
    KvOptions again = KvOptions.at(directory).withName("again");

    failsWith(KvErrorCode.LOCKED, Kv.open(vertx, again));
    try (ChildJvm child = ChildJvm.start(Holder.class, directory.toString())) {
      assertThat(child.readLine()).startsWith("LOCKED"); // the rejection did not release the lock
      first.set(K, 1).block(TIMEOUT);
      first.close().block(TIMEOUT);

      String line = child.readLine();
      while (line.startsWith("LOCKED")) {
        line = child.readLine();
      }
      assertThat(line).startsWith(Holder.OPEN);
      assertThatThrownBy(() -> open(again))
          .hasMessageStartingWith("LOCKED")
          .hasMessageContaining(line.substring(Holder.OPEN.length()));
      child.close();
      assertThat(child.waitFor()).isNotZero();
    }
    Kv second = open(again);
    assertThat(second.get(K).block(TIMEOUT).value()).isEqualTo(1);
    assertThat(second.get(Holder.KEY).block(TIMEOUT).value()).isEqualTo("child");
  }

  @Test
  void failsForATakenNameAndReleasesTheDirectory() {
    Kv first = open(KvOptions.inMemory().withName("name"));
    KvOptions same = KvOptions.at(directory).withName("name");

    failsWith(KvErrorCode.NAME_TAKEN, Kv.open(vertx, same));
    failsWith(KvErrorCode.NAME_TAKEN, Kv.open(vertx, same));
    assertThat(first.set(K, 1).block(TIMEOUT)).isNotNull();
    first.close().block(TIMEOUT);

    assertThat(open(same).set(K, 1).block(TIMEOUT)).isNotNull();
  }

  @Test
  void logsOpenedAndClosedStores() {
    Logger logger = (Logger) LoggerFactory.getLogger("io.kvreactive.internal.store.Store");
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    logger.setLevel(Level.INFO);
    logger.addAppender(lines);
    try {
      Kv first = open(KvOptions.at(directory));
      first.set(K, 1).block(TIMEOUT);
      first.close().block(TIMEOUT);
      open(KvOptions.at(directory)).close().block(TIMEOUT);
      open(KvOptions.inMemory()).close().block(TIMEOUT);
    } finally {
      logger.detachAppender(lines);
      logger.setLevel(null);
    }
    String opened =
        "opened " + directory + ": %s keys in the image, %s bytes of the log replayed, ";
    assertThat(lines.list).hasSize(4);
    assertThat(lines.list.get(0).getFormattedMessage()).startsWith(opened.formatted(0, 0));
    assertThat(lines.list.get(1).getFormattedMessage()).isEqualTo("closed " + directory);
    assertThat(lines.list.get(2).getFormattedMessage())
        .matches(Pattern.quote("opened " + directory) + ": [01] keys .* \\d+ bytes .* \\d+ ms");
  }

  @Test
  void opensNothingWithoutSubscription() {
    var unused = Kv.open(vertx, KvOptions.at(directory.resolve("sub")));

    assertThat(directory.resolve("sub")).doesNotExist();
  }

  @Test
  void leavesNothingOpenAfterCancel() {
    for (int i = 0; i < 10; i++) {
      Kv.open(vertx, KvOptions.at(directory)).subscribe().dispose();
    }
    Kv kv = null;
    long end = System.nanoTime() + TIMEOUT.toNanos();
    while (kv == null && System.nanoTime() < end) {
      kv = Kv.open(vertx, KvOptions.at(directory)).onErrorComplete().block(TIMEOUT);
    }
    assertThat(kv).isNotNull();
  }

  @Test
  void findsOnlyOpenStoresByName() {
    Kv owner = open(KvOptions.inMemory().withName("name"));
    Kv named = Kv.named(vertx, "name").block(TIMEOUT);
    named.set(K, 1).block(TIMEOUT);
    named.close().block(TIMEOUT);

    failsWith(KvErrorCode.CLOSED, named.get(K));
    assertThat(owner.get(K).block(TIMEOUT).value()).isEqualTo(1);
    failsWith(KvErrorCode.NO_SUCH_STORE, Kv.named(vertx, "other"));
    Kv second = Kv.named(vertx, "name").block(TIMEOUT);
    owner.close().block(TIMEOUT);
    failsWith(KvErrorCode.NO_SUCH_STORE, Kv.named(vertx, "name"));
    failsWith(KvErrorCode.CLOSED, second.get(K));
  }

  @Test
  void findsAStoreDeployedAsAVerticleUntilItIsUndeployed() throws Exception {
    KvOptions options = KvOptions.at(directory).withName("mine");
    String id =
        vertx
            .deployVerticle(new KvVerticle(options), KvVerticle.deployment(options))
            .await(60, TimeUnit.SECONDS);
    Kv kv = Kv.named(vertx, "mine").block(TIMEOUT);
    kv.set(K, 1).block(TIMEOUT);

    vertx.undeploy(id).await(60, TimeUnit.SECONDS);

    failsWith(KvErrorCode.CLOSED, kv.set(K, 2));
    assertThat(open(options).get(K).block(TIMEOUT).value()).isEqualTo(1);
  }

  @Test
  void rejectsDeploymentsWithInvalidOptions() {
    KvOptions options = KvOptions.at(directory).withName("mine");
    Stream.of(
            new DeploymentOptions(),
            new DeploymentOptions().setThreadingModel(ThreadingModel.WORKER))
        .forEach(
            wrong ->
                assertThatThrownBy(
                        () ->
                            vertx
                                .deployVerticle(new KvVerticle(options), wrong)
                                .toCompletionStage()
                                .toCompletableFuture()
                                .get(60, TimeUnit.SECONDS))
                    .isInstanceOf(ExecutionException.class)
                    .hasMessageContaining("KvVerticle.deployment"));
    failsWith(KvErrorCode.NO_SUCH_STORE, Kv.named(vertx, "mine"));
    assertThat(open(options)).isNotNull();
  }

  @Test
  void closesIdempotentlyAlsoConcurrently() {
    Kv kv = open(KvOptions.at(directory));
    kv.set(K, 1).block(TIMEOUT);

    Flux.merge(kv.close(), kv.close()).then(kv.close()).block(TIMEOUT);
    kv.close().block(TIMEOUT);

    assertThat(open(KvOptions.at(directory)).get(K).block(TIMEOUT).value()).isEqualTo(1);
  }

  @Test
  void failsEveryCallAfterCloseWithClosed() {
    Kv kv = open(KvOptions.at(directory));
    kv.close().block(TIMEOUT);
    KvRange range = KvRange.all();

    List.<Publisher<?>>of(
            kv.get(K),
            kv.getMany(List.of(K)),
            kv.set(K, 1),
            kv.delete(K),
            kv.deleteRange(range),
            kv.list(range),
            kv.count(range),
            kv.atomic().set(K, 1).commit(),
            kv.watch(K))
        .forEach(call -> failsWith(KvErrorCode.CLOSED, call));
  }

  @Test
  void closesTheStoreAndItsHandlesWithTheVertx() throws Exception {
    Kv kv = open(KvOptions.at(directory));
    kv.set(K, 1).block(TIMEOUT);
    vertx.close().await(60, TimeUnit.SECONDS);

    failsWith(KvErrorCode.CLOSED, kv.get(K));
    kv.close().block(TIMEOUT);
    vertx = Vertx.vertx();
    assertThat(open(KvOptions.at(directory)).get(K).block(TIMEOUT).value()).isEqualTo(1);
    vertx.close().await(60, TimeUnit.SECONDS);
  }

  @Test
  void endsAllThreadsOfTheStoreOnClose() {
    Kv kv = open(KvOptions.at(directory).withName("threads-of-mine"));
    kv.set(K, 1).then(kv.get(K)).block(TIMEOUT);
    assertThat(threads()).isNotEmpty();
    kv.close().block(TIMEOUT);

    long deadline = System.nanoTime() + TIMEOUT.toNanos();
    while (!threads().isEmpty() && System.nanoTime() < deadline) {
      Thread.onSpinWait();
    }
    assertThat(threads()).isEmpty();
  }

  private static List<String> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.contains("threads-of-mine"))
        .filter(name -> !name.startsWith("kv-callback")) // ends after its idle time
        .toList();
  }

  @Test
  void keepsTheDataOfARelaxedStoreOnClose() {
    KvOptions relaxed = KvOptions.at(directory).withDurability(Durability.RELAXED);
    Kv kv = open(relaxed);
    Flux.range(0, 1000).flatMap(i -> kv.set(KvKey.of("n", i), i)).blockLast(TIMEOUT);
    kv.close().block(TIMEOUT);

    Kv again = open(relaxed);
    assertThat(again.count(KvRange.prefix("n")).block(TIMEOUT)).isEqualTo(1000);
    again.close().block(TIMEOUT);
    assertThat(open(KvOptions.at(directory)).count(KvRange.all()).block(TIMEOUT)).isEqualTo(1000);
  }

  /**
   * The other process. It tries to open the directory until it can, and prints a line at each
   * failure; then it writes, prints a line with its number, and keeps running.
   */
  static final class Holder {
    static final String OPEN = "open in process ";
    static final KvKey KEY = KvKey.of("child");

    public static void main(String[] args) {
      Kv kv =
          Kv.open(Vertx.vertx(), KvOptions.at(Path.of(args[0])))
              .doOnError(failure -> System.out.println(failure.getMessage()))
              .retryWhen(Retry.fixedDelay(Long.MAX_VALUE, Duration.ofMillis(20)))
              .block();
      kv.set(KEY, "child").block();
      System.out.println(OPEN + ProcessHandle.current().pid());
    }
  }
}
