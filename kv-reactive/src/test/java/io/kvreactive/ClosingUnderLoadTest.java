package io.kvreactive;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.spi.ReadRange;
import io.kvreactive.testing.Seeds;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Closing with pending calls: each call is answered or fails with CLOSED, none hangs, and answered
 * commits are present after reopening.
 */
@ExtendWith(VertxExtension.class)
class ClosingUnderLoadTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final int CALLERS = 4;
  private static final ReadRange EVERYTHING =
      new ReadRange(new byte[] {0}, new byte[] {(byte) 0xFF}, 100, false, false);

  @TempDir Path directory;
  private Vertx vertx;
  private Kv kv;

  private final Set<KvKey> answered = ConcurrentHashMap.newKeySet();
  private final ConcurrentLinkedQueue<Throwable> unexpected = new ConcurrentLinkedQueue<>();
  private final AtomicInteger number = new AtomicInteger();
  private final CountDownLatch started = new CountDownLatch(500);
  private final CountDownLatch written = new CountDownLatch(1);
  private final CountDownLatch ended = new CountDownLatch(4 * CALLERS);

  @BeforeEach
  void open(Vertx vertx) {
    this.vertx = vertx;
    kv = Kv.open(vertx, KvOptions.at(directory).withMemoryBytes(1 << 20)).block(TIMEOUT);
  }

  /** Repeats writes, reads, calls on separate threads and watches until each fails. */
  private void load() {
    for (int i = 0; i < CALLERS; i++) {
      untilItFails(
          Mono.defer(
              () -> {
                KvKey key = KvKey.of("n", number.incrementAndGet());
                return kv.set(key, "x".repeat(500))
                    .doOnNext(stamp -> answered.add(key))
                    .doOnNext(stamp -> written.countDown());
              }));
      untilItFails(i % 2 == 0 ? kv.list(KvRange.all()).count() : kv.get(KvKey.of("n", 1)));
      untilItFails(
          Mono.fromCallable(() -> kv.engine().readHere(List.of(EVERYTHING), null, Long.MAX_VALUE))
              .subscribeOn(Schedulers.boundedElastic()));
      KvKey watched = KvKey.of("n", i);
      kv.watch(watched, String.class).subscribe(state -> {}, this::failed, ended::countDown);
    }
  }

  private void untilItFails(Mono<?> call) {
    call.repeat()
        .subscribe(
            value -> started.countDown(),
            this::failed,
            () -> unexpected.add(new AssertionError("completed")));
  }

  private void failed(Throwable error) {
    if (!(error instanceof KvException e) || e.code() != KvErrorCode.CLOSED) {
      unexpected.add(error);
    }
    ended.countDown();
  }

  private void expectAllEndedAndAllAnsweredPresent() throws InterruptedException {
    assertThat(ended.await(60, TimeUnit.SECONDS)).as("no call hangs").isTrue();
    assertThat(unexpected).isEmpty();
    Vertx other = Vertx.vertx();
    Kv again = Kv.open(other, KvOptions.at(directory)).block(TIMEOUT);
    Map<KvKey, Object> present =
        again.list(KvRange.all()).collectMap(KvEntry::key, KvEntry::required).block(TIMEOUT);
    again.close().block(TIMEOUT);
    var unused = other.close();
    assertThat(present.keySet()).containsAll(answered);
    assertThat(answered).isNotEmpty();
  }

  @ParameterizedTest
  @Seeds(shortForm = 2, longForm = 5)
  void closeAnswersOrFailsEveryCall(long run) throws Exception {
    load();
    assertThat(started.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(written.await(60, TimeUnit.SECONDS)).as("not only reads").isTrue();

    kv.close().block(TIMEOUT);

    expectAllEndedAndAllAnsweredPresent();
  }

  @ParameterizedTest
  @Seeds(shortForm = 2, longForm = 5)
  void closingTheVertxAnswersOrFailsEveryCall(long run) throws Exception {
    load();
    assertThat(started.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(written.await(60, TimeUnit.SECONDS)).as("not only reads").isTrue();

    vertx.close().await(60, TimeUnit.SECONDS);

    expectAllEndedAndAllAnsweredPresent();
  }

  @ParameterizedTest
  @Seeds(shortForm = 5, longForm = 20)
  void answersOrFailsCommitsConcurrentWithClose(long run) throws Exception {
    CountDownLatch done = new CountDownLatch(400);
    Thread closer = new Thread(() -> kv.close().block(TIMEOUT));
    for (int i = 0; i < 400; i++) {
      if (i == 50) {
        closer.start();
      }
      KvKey key = KvKey.of("n", i);
      kv.set(key, i)
          .doFinally(signal -> done.countDown())
          .subscribe(stamp -> answered.add(key), this::failed);
    }
    closer.join();

    assertThat(done.await(60, TimeUnit.SECONDS)).as("no commit hangs").isTrue();
    assertThat(unexpected).isEmpty();
    Kv again = Kv.open(vertx, KvOptions.at(directory)).block(TIMEOUT);
    var keys = Flux.from(again.list(KvRange.all())).map(KvEntry::key).collectList().block(TIMEOUT);
    again.close().block(TIMEOUT);
    assertThat(keys).containsExactlyInAnyOrderElementsOf(answered);
  }
}
