package io.kvreactive.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kvreactive.Kv;
import io.kvreactive.KvEntry;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.KvRecord;
import io.kvreactive.ListOptions;
import io.kvreactive.LoadProgress;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import io.vertx.junit5.VertxTestContext;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Signal;
import reactor.test.StepVerifier;

/** Exports to files and imports from them. */
@ExtendWith(VertxExtension.class)
class KvLinesTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final KvRange P = KvRange.prefix("p");

  @TempDir Path directory;
  private Kv kv;

  @BeforeEach
  void open(Vertx vertx) {
    kv = Kv.inMemory(vertx).block(TIMEOUT);
  }

  @AfterEach
  void close() {
    kv.close().block(TIMEOUT);
  }

  private void fill(int count) {
    kv.load(Flux.range(0, count).map(i -> KvRecord.of(KvKey.of("p", i), "é" + i)))
        .blockLast(TIMEOUT);
  }

  private List<KvEntry<Object>> entries() {
    return kv.list(P).collectList().block(TIMEOUT);
  }

  private List<String> files() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).toList();
    }
  }

  private static KvException failure(Publisher<?> publisher, KvErrorCode code) {
    KvException[] caught = new KvException[1];
    assertThatThrownBy(() -> Flux.from(publisher).blockLast(TIMEOUT))
        .isInstanceOfSatisfying(KvException.class, e -> caught[0] = e);
    assertThat(caught[0].code()).isEqualTo(code);
    return caught[0];
  }

  @ParameterizedTest
  @ValueSource(strings = {"export.jsonl", "export.jsonl.gz"})
  void exportsARange(String name) throws Exception {
    fill(5000);
    Path file = directory.resolve(name);
    Files.writeString(file, "something old");
    assertThat(KvLines.write(kv, P, file).block(TIMEOUT)).isEqualTo(5000);
    assertThat(files()).containsExactly(name);
    boolean compressed = Files.readAllBytes(file)[0] == 0x1f;
    assertThat(compressed).isEqualTo(name.endsWith(".gz"));

    List<KvEntry<Object>> before = entries();
    kv.deleteRange(P).block(TIMEOUT);
    LoadProgress last = KvLines.read(kv, file).blockLast(TIMEOUT);
    assertThat(last.entries()).isEqualTo(5000);
    assertThat(entries()).hasSameSizeAs(before);
    assertThat(entries()).extracting(KvEntry::value).contains("é0", "é4999");
  }

  @Test
  void exportsAnEmptyRangeAsAnEmptyFile() throws Exception {
    Path file = directory.resolve("empty.gz");
    assertThat(KvLines.write(kv, P, ListOptions.DEFAULT, file).block(TIMEOUT)).isZero();
    assertThat(KvLines.read(kv, file).collectList().block(TIMEOUT)).isEmpty();
  }

  @Test
  void keepsTheOldFileOfAFailedExport() throws Exception {
    Path file = directory.resolve("export.jsonl");
    Files.writeString(file, "old");
    KvRange none = KvRange.prefix("p");
    failure(
        KvLines.write(kv, none, ListOptions.DEFAULT.withKeysOnly(true), file),
        KvErrorCode.INVALID_ARGUMENT);
    assertThat(files()).containsExactly("export.jsonl");
    assertThat(Files.readString(file)).isEqualTo("old");
    failure(KvLines.write(kv, P, directory.resolve("no/where")), KvErrorCode.IO_FAILED);
  }

  @Test
  void leavesNoFileOfAnExportThatFailsAtItsFirstBytes() throws Exception {
    Path full = Path.of("/dev/full");
    assumeTrue(Files.exists(full));
    Path file = directory.resolve("export.jsonl.gz");
    Files.createSymbolicLink(directory.resolve("export.jsonl.gz.part"), full);
    failure(KvLines.write(kv, P, file), KvErrorCode.DISK_FULL);
    assertThat(files()).isEmpty();
  }

  /** Cancels at various moments, mostly while the file is being created. */
  @Test
  void leavesNoFileOfACancelledExport() throws Exception {
    fill(20_000);
    Path file = directory.resolve("export.jsonl");
    Path part = directory.resolve("export.jsonl.part");
    for (int i = 0; i < 100; i++) {
      var export = KvLines.write(kv, P, file).subscribe();
      await(() -> Files.exists(part) || Files.exists(file));
      export.dispose();
      await(() -> !Files.exists(part));
      Files.deleteIfExists(file); // it may have been finished
    }
  }

  private static void await(BooleanSupplier condition) {
    long deadline = System.nanoTime() + TIMEOUT.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - deadline).isNegative();
      Thread.onSpinWait();
    }
  }

  @Test
  void reportsTheLineOfAFile() throws Exception {
    Path file = directory.resolve("in.jsonl");
    String good = "\uFEFF{\"key\":[\"p\",1],\"value\":1}\r\n\r\n{\"key\":[\"p\",2],\"value\":2}\n";
    Files.writeString(file, good + "{}");
    assertThat(failure(KvLines.read(kv, file), KvErrorCode.INVALID_ARGUMENT).detail())
        .startsWith("line 4: ")
        .endsWith("records stored: 2");
    assertThat(entries()).hasSize(2);

    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.write(good.getBytes(StandardCharsets.UTF_8));
    bytes.write(0xff);
    Files.write(file, bytes.toByteArray());
    assertThat(failure(KvLines.read(kv, file), KvErrorCode.INVALID_ARGUMENT).detail())
        .startsWith("line 4 of ")
        .contains("UTF-8", "records stored: 2");
  }

  @Test
  void reportsAnUnreadableFileAndKeepsImportedEntries() throws Exception {
    failure(KvLines.read(kv, directory.resolve("none")), KvErrorCode.IO_FAILED);
    Path file = directory.resolve("cut.gz");
    Files.writeString(file, "no gzip at all");
    failure(KvLines.read(kv, file), KvErrorCode.IO_FAILED);

    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(bytes, true)) {
      gzip.write("{\"key\":[\"p\",1],\"value\":1}\n".getBytes(StandardCharsets.UTF_8));
      gzip.flush();
      Files.write(file, bytes.toByteArray());
    }
    KvException cut = failure(KvLines.read(kv, file), KvErrorCode.IO_FAILED);
    assertThat(cut.detail()).contains("records stored: 1");
    assertThat(entries()).hasSize(1);
  }

  @Test
  void readsLongAndManyLinesOnDemand() throws Exception {
    Path file = directory.resolve("in.jsonl");
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 300; i++) {
      text.append("{\"key\":[\"p\",").append(i).append("],\"value\":\"");
      text.append("x".repeat(i * 500)).append("\"}").append(i == 299 ? "" : "\n");
    }
    Files.writeString(file, text);
    StepVerifier.create(KvLines.read(kv, file), 1)
        .expectNextCount(1)
        .thenRequest(Long.MAX_VALUE)
        .thenConsumeWhile(progress -> true)
        .verifyComplete();
    assertThat(entries()).hasSize(300);
    StepVerifier.create(KvLines.read(kv, file), 1).expectNextCount(1).thenCancel().verify(TIMEOUT);
  }

  @Test
  void signalsOnTheSubscribersContext(Vertx vertx, VertxTestContext test) {
    fill(10);
    Path file = directory.resolve("export.jsonl");
    Context context = vertx.getOrCreateContext();
    context.runOnContext(
        ignored ->
            KvLines.write(kv, P, file)
                .thenMany(Flux.defer(() -> KvLines.read(kv, file)))
                .last()
                .subscribe(
                    progress -> {
                      test.verify(() -> assertThat(Vertx.currentContext()).isSameAs(context));
                      test.completeNow();
                    },
                    test::failNow));
  }

  @Test
  void signalsOnElasticThreadsWithoutAContext() {
    fill(10);
    Path file = directory.resolve("export.jsonl");
    Queue<String> threads = new ConcurrentLinkedQueue<>();
    Consumer<Signal<?>> record = signal -> threads.add(Thread.currentThread().getName());
    KvLines.write(kv, P, file).doOnEach(record).block(TIMEOUT);
    KvLines.read(kv, file).doOnEach(record).blockLast(TIMEOUT);
    failure(
        KvLines.write(kv, P, directory.resolve("no/where")).doOnEach(record),
        KvErrorCode.IO_FAILED);
    failure(KvLines.read(kv, directory.resolve("none")).doOnEach(record), KvErrorCode.IO_FAILED);
    assertThat(threads)
        .hasSizeGreaterThan(5)
        .allSatisfy(name -> assertThat(name).startsWith("boundedElastic-"));
  }
}
