package io.kvreactive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvreactive.metrics.KvMetrics;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;

/** One damaged page of the image: its reads fail with CORRUPT, and the store serves all others. */
@ExtendWith(VertxExtension.class)
class DamagedPageTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final int PAGE = 4096;
  private static final int KEYS = 3000;
  private static final int DAMAGED = 1500;

  @TempDir Path temp;
  private Path directory;
  private long page;
  private Kv kv;

  /** Damages the page with the start of a long value. */
  @BeforeEach
  void damage(Vertx vertx) throws IOException {
    directory = temp.resolve("store");
    try (Closing memory = new Closing(Kv.inMemory(vertx).block(TIMEOUT))) {
      Flux.range(0, KEYS).flatMap(i -> memory.kv.set(key(i), value(i)), 64).blockLast(TIMEOUT);
      memory.kv.admin().backup(directory).blockLast(TIMEOUT); // has everything in the image
    }
    Path image = directory.resolve("image.db");
    String bytes = Files.readString(image, StandardCharsets.ISO_8859_1);
    int at = bytes.indexOf("marker");
    page = at / PAGE * (long) PAGE;
    byte[] changed = bytes.getBytes(StandardCharsets.ISO_8859_1);
    changed[at] ^= 1;
    Files.write(image, changed);
    kv = Kv.open(vertx, KvOptions.at(directory)).block(TIMEOUT);
  }

  private record Closing(Kv kv) implements AutoCloseable {
    @Override
    public void close() {
      kv.close().block(TIMEOUT);
    }
  }

  @AfterEach
  void close() {
    kv.close().block(TIMEOUT);
  }

  private static KvKey key(int i) {
    return KvKey.of("k", i);
  }

  private static String value(int i) {
    return i == DAMAGED ? "marker".repeat(100) : "value " + i;
  }

  private void assertCorrupt(Publisher<?> read) {
    assertThatThrownBy(() -> Flux.from(read).blockLast(TIMEOUT))
        .isInstanceOfSatisfying(
            KvException.class, e -> assertThat(e.code()).isEqualTo(KvErrorCode.CORRUPT))
        .hasMessageContaining("image.db is damaged at offset " + page + ":");
  }

  @Test
  void failsReadsOfThePageAndServesAllOthers() {
    for (int time = 0; time < 2; time++) {
      assertCorrupt(kv.get(key(DAMAGED), String.class));
      assertCorrupt(kv.getMany(List.of(key(1), key(DAMAGED)), String.class));
      assertCorrupt(kv.list(KvRange.all(), String.class));
      assertCorrupt(kv.admin().exportLines(KvRange.all()));
      assertCorrupt(kv.watch(key(DAMAGED), String.class));
      assertCorrupt(kv.transact(tx -> tx.get(key(DAMAGED), String.class)));
      assertCorrupt(kv.admin().backup(temp.resolve("backup")));
      assertCorrupt(kv.admin().compact());
    }
    assertThat(temp.resolve("backup")).doesNotExist();
    int served = 0;
    for (int i = 0; i < KEYS; i += 10) {
      if (Math.abs(i - DAMAGED) > 400) { // not near enough for the same page
        assertThat(kv.get(key(i), String.class).block(TIMEOUT).value()).isEqualTo(value(i));
        served++;
      }
    }
    assertThat(served).isGreaterThan(200);
    assertThat(
            kv.list(KvRange.between(key(0), key(1000)), String.class)
                .map(KvEntry::value)
                .collectList()
                .block(TIMEOUT))
        .hasSize(1000);
    kv.set(key(KEYS), "after").block(TIMEOUT);
    assertThat(kv.get(key(KEYS), String.class).block(TIMEOUT).value()).isEqualTo("after");
  }

  @Test
  void countsThePageOnceAndReportsIt() {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    assertThat(kv.admin().stats().block(TIMEOUT).storage().damagedPages()).isZero();
    assertCorrupt(kv.get(key(DAMAGED), String.class));
    assertCorrupt(kv.get(key(DAMAGED), String.class));
    assertThat(kv.admin().stats().block(TIMEOUT).storage().damagedPages()).isEqualTo(1);
    VerifyReport report = kv.admin().verify().blockLast(TIMEOUT);
    assertThat(report.problems())
        .anySatisfy(
            problem -> {
              assertThat(problem.kind()).isEqualTo(VerifyReport.Kind.PAGE);
              assertThat(problem.offset()).isEqualTo(page);
            });
    assertThat(kv.admin().stats().block(TIMEOUT).storage().damagedPages()).isEqualTo(1);
    try (KvMetrics metrics = new KvMetrics(kv, "s")) {
      metrics.bindTo(registry);
      long end = System.nanoTime() + TIMEOUT.toNanos();
      while (registry.get("kv.image.pages.damaged").gauge().value() != 1) {
        assertThat(System.nanoTime()).isLessThan(end);
        Thread.onSpinWait();
      }
    }
  }

  @Test
  void verificationFindsThePageBeforeItIsRead() {
    VerifyReport report = kv.admin().verify().blockLast(TIMEOUT);
    assertThat(report.sound()).isFalse();
    assertThat(kv.admin().stats().block(TIMEOUT).storage().damagedPages()).isEqualTo(1);
    assertCorrupt(kv.get(key(DAMAGED), String.class));
  }
}
