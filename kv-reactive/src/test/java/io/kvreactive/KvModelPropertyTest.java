package io.kvreactive;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.KvModel.Cell;
import io.kvreactive.KvModel.Change;
import io.kvreactive.testing.ShortTries;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;

/** Any sequence of calls has the same effect on a store with little memory and on the model. */
class KvModelPropertyTest {
  private static final Vertx VERTX = Vertx.vertx();
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final KvKey P = KvKey.of("p");

  /** A step of a sequence. */
  sealed interface Step {}

  /** A commit whose checks expect the current versionstamp of a key, or another one. */
  record Commit(Map<KvKey, Boolean> checks, List<Change> changes) implements Step {}

  record Listing(KvRange range, boolean reverse, int limit, int batch, boolean keysOnly)
      implements Step {}

  record Reopen() implements Step {}

  private static Arbitrary<KvKey> keys() {
    Arbitrary<KvKey> numbered = Arbitraries.integers().between(0, 40).map(i -> KvKey.of("p", i));
    return Arbitraries.oneOf(
        numbered,
        numbered,
        Arbitraries.of(P, KvKey.of("o"), KvKey.of("q"), KvKey.of("p", 7, "deep")));
  }

  private static Arbitrary<KvRange> ranges() {
    Arbitrary<KvRange> between =
        Combinators.combine(keys(), keys())
            .as((a, b) -> a.compareTo(b) <= 0 ? KvRange.between(a, b) : KvRange.between(b, a));
    return Arbitraries.oneOf(
        between,
        between,
        keys().map(KvRange::prefix),
        keys().map(KvRange::single),
        Arbitraries.of(KvRange.prefix(P), KvRange.prefix("log"), KvRange.all()));
  }

  private static Arbitrary<Object> values() {
    return Arbitraries.oneOf(
        Arbitraries.of("text", 1, true, KvU64.of(3), KvU64.wrapped(-1)),
        Arbitraries.of(10, 1000, 60_000, 200_000).map(byte[]::new));
  }

  private static Arbitrary<KvU64> numbers() {
    return Arbitraries.of(0L, 1L, 5L, -1L, Long.MIN_VALUE).map(KvU64::wrapped);
  }

  private static Arbitrary<Change> changes() {
    return Arbitraries.frequencyOf(
        net.jqwik.api.Tuple.of(
            8, Combinators.combine(keys(), values()).as((k, v) -> new KvModel.Set(k, v))),
        net.jqwik.api.Tuple.of(
            2, values().map(v -> new KvModel.SetVersionstamped(KvKey.of("log"), v))),
        net.jqwik.api.Tuple.of(4, keys().map(KvModel.Delete::new)),
        net.jqwik.api.Tuple.of(2, ranges().map(KvModel.DeleteRange::new)),
        net.jqwik.api.Tuple.of(
            2, Combinators.combine(keys(), numbers()).as((k, n) -> new KvModel.Sum(k, n))),
        net.jqwik.api.Tuple.of(
            1, Combinators.combine(keys(), numbers()).as((k, n) -> new KvModel.Min(k, n))),
        net.jqwik.api.Tuple.of(
            1, Combinators.combine(keys(), numbers()).as((k, n) -> new KvModel.Max(k, n))),
        net.jqwik.api.Tuple.of(
            1,
            Arbitraries.of("p", "log")
                .flatMap(p -> Arbitraries.of(50, 300).map(n -> new KvModel.Fill(p, n)))));
  }

  @Provide
  Arbitrary<List<Step>> steps() {
    Arbitrary<Map<KvKey, Boolean>> checks =
        Arbitraries.maps(
                keys(),
                Arbitraries.frequency(
                    net.jqwik.api.Tuple.of(6, true), net.jqwik.api.Tuple.of(1, false)))
            .ofMaxSize(2);
    Arbitrary<Step> commits =
        Combinators.combine(checks, changes().list().ofMaxSize(6)).as(Commit::new);
    Arbitrary<Step> lists =
        Combinators.combine(
                ranges(),
                Arbitraries.of(true, false),
                Arbitraries.of(1, 5, 100, 1000),
                Arbitraries.of(1, 10, 500),
                Arbitraries.of(true, false))
            .as(Listing::new);
    return Arbitraries.frequencyOf(
            net.jqwik.api.Tuple.of(10, commits),
            net.jqwik.api.Tuple.of(6, lists),
            net.jqwik.api.Tuple.of(1, Arbitraries.just(new Reopen())))
        .list()
        .ofMinSize(10)
        .ofMaxSize(60);
  }

  @Property(tries = 60, shrinking = ShrinkingMode.BOUNDED)
  @ShortTries(25)
  void behavesLikeTheModel(@ForAll("steps") List<Step> steps) throws IOException {
    Path directory = Files.createTempDirectory("kv-model");
    Run run = new Run(directory);
    try {
      steps.forEach(run::step);
      run.compareEverything();
      run.reopen();
      run.compareEverything();
    } finally {
      run.kv.close().block(TIMEOUT);
      try (Stream<Path> files = Files.walk(directory)) {
        files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(java.io.File::delete);
      }
    }
  }

  /** A store and its model. */
  private static final class Run {
    private final KvModel model = new KvModel();
    private final KvOptions options;
    private Kv kv;
    private Versionstamp last = Versionstamp.ZERO;

    Run(Path directory) {
      options = KvOptions.at(directory).withMemoryBytes(1 << 20);
      kv = Kv.open(VERTX, options).block(TIMEOUT);
    }

    void step(Step step) {
      if (step instanceof Commit commit) {
        commit(commit);
      } else if (step instanceof Listing listing) {
        compare(listing);
      } else {
        reopen();
      }
    }

    void reopen() {
      kv.close().block(TIMEOUT);
      kv = Kv.open(VERTX, options).block(TIMEOUT);
    }

    private void commit(Commit commit) {
      AtomicOperation operation = kv.atomic();
      List<Integer> failing = new java.util.ArrayList<>();
      int index = 0;
      for (Map.Entry<KvKey, Boolean> check : commit.checks.entrySet()) {
        Versionstamp actual = model.stamp(check.getKey());
        Versionstamp other = actual == null ? Versionstamp.of(1) : null;
        operation.check(check.getKey(), check.getValue() ? actual : other);
        if (!check.getValue()) {
          failing.add(index);
        }
        index++;
      }
      commit.changes.forEach(change -> KvModel.add(operation, change));
      CommitResult result;
      try {
        result = operation.commit().block(TIMEOUT);
      } catch (KvException e) {
        assertThat(e.code()).isEqualTo(KvErrorCode.TYPE_MISMATCH);
        assertThat(failing).isEmpty();
        assertThat(model.after(commit.changes, last)).isEmpty();
        return;
      }
      assertThat(result.failedChecks()).isEqualTo(failing);
      if (result.committed()) {
        assertThat(result.versionstamp()).isGreaterThanOrEqualTo(last);
        var after = model.after(commit.changes, result.versionstamp()).orElseThrow();
        if (result.versionstamp().equals(last)) { // without effects
          assertThat(after).isEqualTo(model.after(List.of(), last).orElseThrow());
        }
        last = result.versionstamp();
        model.become(after);
      }
    }

    private void compare(Listing l) {
      ListOptions how =
          ListOptions.DEFAULT
              .withReverse(l.reverse)
              .withLimit(l.limit)
              .withBatchSize(l.batch)
              .withKeysOnly(l.keysOnly);
      List<KvEntry<Object>> entries = kv.list(l.range, how).collectList().block(TIMEOUT);
      List<Map.Entry<KvKey, Cell>> expected = model.list(l.range, l.reverse, l.limit);
      assertThat(entries)
          .extracting(KvEntry::key)
          .isEqualTo(expected.stream().map(Map.Entry::getKey).toList());
      for (int i = 0; i < entries.size(); i++) {
        same(entries.get(i), expected.get(i).getValue(), l.keysOnly);
      }
      assertThat(kv.count(l.range).block(TIMEOUT))
          .isEqualTo(model.list(l.range, false, Long.MAX_VALUE).size());
    }

    private static void same(KvEntry<Object> entry, Cell cell, boolean keysOnly) {
      assertThat(entry.versionstamp()).isEqualTo(cell == null ? null : cell.stamp());
      assertThat(entry.value()).isEqualTo(cell == null || keysOnly ? null : cell.value());
    }

    void compareEverything() {
      compare(new Listing(KvRange.all(), false, Integer.MAX_VALUE, 500, false));
      compare(new Listing(KvRange.all(), true, Integer.MAX_VALUE, 7, true));
      List<KvKey> keys = IntStream.range(-1, 50).mapToObj(i -> KvKey.of("p", i)).toList();
      List<KvEntry<Object>> entries = kv.getMany(keys).collectList().block(TIMEOUT);
      for (int i = 0; i < keys.size(); i++) {
        same(entries.get(i), model.cell(keys.get(i)), false);
      }
    }
  }
}
