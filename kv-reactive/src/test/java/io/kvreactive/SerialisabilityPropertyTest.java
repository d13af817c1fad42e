package io.kvreactive;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.SerialHistory.Attempt;
import io.kvreactive.SerialHistory.Step;
import io.kvreactive.testing.ShortTries;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tuple;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Concurrent transactions read what a serial execution would read. */
class SerialisabilityPropertyTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final int KEYS = 8;
  private static final TransactionOptions OPTIONS =
      TransactionOptions.DEFAULT
          .withMaxAttempts(1000)
          .withBackoff(Duration.ofNanos(50_000), Duration.ofMillis(20));

  private static Vertx vertx;
  private static Path directory;
  private static final Map<String, Kv> STORES = new LinkedHashMap<>();

  @BeforeContainer
  static void open() throws IOException {
    vertx = Vertx.vertx();
    directory = Files.createTempDirectory("kv-serial");
    open("memory", KvOptions.inMemory());
    open("file", KvOptions.at(directory.resolve("file")));
    open("small", KvOptions.at(directory.resolve("small")).withMemoryBytes(1 << 20));
  }

  private static void open(String name, KvOptions options) {
    STORES.put(name, Kv.open(vertx, options.withName("serial-" + name)).block(TIMEOUT));
  }

  @AfterContainer
  static void close() throws IOException {
    STORES.values().forEach(kv -> kv.close().block(TIMEOUT));
    STORES.clear();
    vertx.close();
    try (Stream<Path> files = Files.walk(directory)) {
      files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(java.io.File::delete);
    }
  }

  private static Arbitrary<Integer> keys() {
    return Arbitraries.integers().between(0, KEYS - 1);
  }

  private static Arbitrary<Step> steps() {
    Arbitrary<Integer> bounds = Arbitraries.integers().between(0, KEYS);
    Arbitrary<Integer> values = Arbitraries.integers().between(0, 99);
    Arbitrary<Step> ranges =
        Combinators.combine(
                bounds,
                bounds,
                Arbitraries.of(true, false),
                Arbitraries.of(2, 100),
                Arbitraries.of(1, 3, 100),
                Arbitraries.of(1, 2, 500))
            .as(SerialHistory.Range::new);
    return Arbitraries.frequencyOf(
        Tuple.of(4, keys().map(SerialHistory.Get::new)),
        Tuple.of(1, keys().list().ofMinSize(1).ofMaxSize(4).map(SerialHistory.GetMany::new)),
        Tuple.of(4, ranges),
        Tuple.of(3, Combinators.combine(keys(), values).as(SerialHistory.Set::new)),
        Tuple.of(4, keys().map(SerialHistory.SetWhatWasRead::new)),
        Tuple.of(2, keys().map(SerialHistory.Delete::new)),
        Tuple.of(1, Combinators.combine(bounds, bounds).as(SerialHistory.DeleteRange::new)),
        Tuple.of(2, Combinators.combine(keys(), values).as(SerialHistory.Add::new)));
  }

  @Provide
  Arbitrary<List<List<Step>>> schedules() {
    return steps().list().ofMinSize(1).ofMaxSize(5).list().ofMinSize(2).ofMaxSize(16);
  }

  @Provide
  Arbitrary<String> kinds() {
    return Arbitraries.of("memory", "file", "small");
  }

  @Property(tries = 400, shrinking = ShrinkingMode.OFF)
  @ShortTries(120)
  void serializesTransactions(
      @ForAll("schedules") List<List<Step>> schedule, @ForAll("kinds") String kind) {
    Kv kv = STORES.get(kind);
    kv.deleteRange(KvRange.all()).block(TIMEOUT);
    SerialHistory history = new SerialHistory();
    Flux.range(0, schedule.size())
        .flatMap(i -> transaction(kv, i, schedule.get(i), history), schedule.size())
        .then()
        .block(TIMEOUT);
    assertThat(history.size()).isEqualTo(schedule.size());
    Map<KvKey, KvU64> model = history.replay();
    Map<KvKey, KvU64> stored =
        kv.list(KvRange.prefix("k"), ListOptions.DEFAULT, KvU64.class)
            .collect(Collectors.toMap(KvEntry::key, KvEntry::value))
            .block(TIMEOUT);
    assertThat(stored).isEqualTo(model);
  }

  /** A value identifies the commit that wrote it. */
  private static Mono<Void> transaction(
      Kv kv, int number, List<Step> steps, SerialHistory history) {
    KvKey mark = KvKey.of("mark", number);
    boolean writes = SerialHistory.anyWrites(steps);
    return kv.transact(
            tx -> {
              if (writes) {
                tx.set(mark, number);
              }
              return new Attempt(steps).run(tx);
            },
            OPTIONS)
        .flatMap(
            attempt ->
                kv.get(mark)
                    .doOnNext(
                        marked -> {
                          Versionstamp commit = marked.versionstamp();
                          history.committed(attempt, commit);
                        }))
        .then();
  }
}
