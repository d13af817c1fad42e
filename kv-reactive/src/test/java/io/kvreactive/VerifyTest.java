package io.kvreactive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Verification by the public API, of closed directories and of stores in use. */
@ExtendWith(VertxExtension.class)
class VerifyTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  @TempDir Path directory;
  private Vertx vertx;

  @BeforeEach
  void use(Vertx vertx) {
    this.vertx = vertx;
  }

  private Kv open() {
    return Kv.open(vertx, KvOptions.at(directory).withMemoryBytes(1 << 20)).block(TIMEOUT);
  }

  private static void fill(Kv kv, int from, int to) {
    Flux.range(from, to - from)
        .flatMap(
            i ->
                i % 3 == 0
                    ? kv.set(KvKey.of("k", i % 5000), "x".repeat(i % 700), Duration.ofHours(1))
                    : kv.set(KvKey.of("k", i % 5000), "x".repeat(i % 700)),
            64)
        .blockLast(TIMEOUT);
  }

  @Test
  void verifiesAStoreDuringWritesAndAfterClose() {
    Kv kv = open();
    AtomicBoolean stop = new AtomicBoolean();
    Semaphore rounds =
        new Semaphore(0); // the whole log is read, so it must not grow during the reading
    CompletableFuture<Void> writer =
        CompletableFuture.runAsync(
            () -> {
              for (int i = 0; !stop.get(); i += 500) {
                rounds.acquireUninterruptibly();
                fill(kv, i, i + 500);
                kv.queues().enqueue(i).block(TIMEOUT);
                kv.deleteRange(KvRange.prefix(KvKey.of("k", i % 5000))).block(TIMEOUT);
              }
            });
    for (int i = 0; i < 15; i++) {
      rounds.release(8);
      List<VerifyReport> both =
          Flux.merge(kv.admin().verify().last(), kv.admin().verify().last())
              .collectList()
              .block(TIMEOUT);
      assertThat(both).hasSize(2);
      assertThat(both).allSatisfy(report -> assertThat(report.problems()).isEmpty());
    }
    stop.set(true);
    rounds.release();
    writer.join();
    assertThat(verifyDirectoryError()).isEqualTo(KvErrorCode.LOCKED);
    long keys = kv.count(KvRange.prefix(KvKey.of("k"))).block(TIMEOUT);
    kv.close().block(TIMEOUT);

    VerifyReport closed = KvStores.verify(directory).blockLast(TIMEOUT);
    assertThat(closed.problems()).isEmpty();
    assertThat(closed.sound()).isTrue();
    assertThat(keys).isPositive();
    Kv again = open();
    assertThat(again.count(KvRange.prefix(KvKey.of("k"))).block(TIMEOUT)).isEqualTo(keys);
    again.close().block(TIMEOUT);
  }

  private KvErrorCode verifyDirectoryError() {
    try {
      KvStores.verify(directory).blockLast(TIMEOUT);
      return null;
    } catch (KvException e) {
      return e.code();
    }
  }

  @Test
  void rejectsADirectoryWithoutStore() {
    assertThat(verifyDirectoryError()).isEqualTo(KvErrorCode.INVALID_ARGUMENT);
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void failsWithClosedWhenTheStoreCloses() throws Exception {
    Kv kv = open();
    fill(kv, 0, 5000);
    List<CompletableFuture<VerifyReport>> running = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      running.add(kv.admin().verify().last().toFuture());
    }
    kv.close().block(TIMEOUT);
    for (CompletableFuture<VerifyReport> one : running) {
      try {
        assertThat(one.get(60, TimeUnit.SECONDS).sound()).isTrue();
      } catch (ExecutionException e) {
        assertThat(((KvException) e.getCause()).code()).isEqualTo(KvErrorCode.CLOSED);
      }
    }
    assertThatThrownBy(() -> kv.admin().verify().blockLast(TIMEOUT)).hasMessageContaining("CLOSED");
  }

  @Test
  void releasesTheDirectoryOnCancel() {
    Kv kv = open();
    fill(kv, 0, 5000);
    kv.close().block(TIMEOUT);
    Disposable verifying = KvStores.verify(directory).subscribe();
    verifying.dispose();
    Mono<Kv> opened = Kv.open(vertx, KvOptions.at(directory));
    Kv again =
        opened
            .retryWhen(reactor.util.retry.Retry.fixedDelay(Long.MAX_VALUE, Duration.ofMillis(10)))
            .block(TIMEOUT);
    assertThat(again.admin().verify().blockLast(TIMEOUT).sound()).isTrue();
    again.close().block(TIMEOUT);
  }

  @Test
  void reportsProgress() {
    Kv kv = open();
    fill(kv, 0, 20_000); // more than fits into memory, so the image was written
    kv.close().block(TIMEOUT);
    List<VerifyReport> reports = KvStores.verify(directory).collectList().block(TIMEOUT);
    VerifyReport last = reports.remove(reports.size() - 1);
    assertThat(last.done()).isTrue();
    assertThat(last.expected()).isEqualTo(last.pages() + last.keys()).isGreaterThan(1000);
    assertThat(reports)
        .allSatisfy(
            report -> {
              assertThat(report.done()).isFalse();
              assertThat(report.expected()).isEqualTo(last.expected());
              assertThat(report.pages() + report.keys()).isLessThanOrEqualTo(last.expected());
            });
  }

  @Test
  void verifiesAStoreInMemory() {
    Kv kv = Kv.inMemory(vertx).block(TIMEOUT);
    fill(kv, 0, 1000);
    VerifyReport report = kv.admin().verify().blockLast(TIMEOUT);
    assertThat(report.sound()).isTrue();
    assertThat(report.segments()).isZero();
    kv.close().block(TIMEOUT);
  }

  @Test
  void formatsProblemsAndLocationsForLogs() {
    var problem =
        new VerifyReport.Problem(
            VerifyReport.Kind.STALE,
            Path.of("image"),
            -1,
            KvKey.of("a"),
            "version 1",
            "at least 2");
    assertThat(problem.toString())
        .startsWith("STALE image key ")
        .endsWith(": version 1 (expected: at least 2)");
  }
}
