package io.kvreactive.internal.engine;

import static io.kvreactive.internal.engine.ExpiryModel.KEYS;
import static io.kvreactive.internal.engine.ExpiryModel.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.AtomicOperation;
import io.kvreactive.ChangesOptions;
import io.kvreactive.CommitResult;
import io.kvreactive.Durability;
import io.kvreactive.Kv;
import io.kvreactive.KvChange;
import io.kvreactive.KvCommit;
import io.kvreactive.KvEntry;
import io.kvreactive.KvKey;
import io.kvreactive.KvOptions;
import io.kvreactive.KvRange;
import io.kvreactive.KvU64;
import io.kvreactive.ListOptions;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.engine.ExpiryModel.Cell;
import io.kvreactive.internal.engine.ExpiryModel.Change;
import io.kvreactive.internal.shared.ClockSources;
import io.kvreactive.internal.store.StoreSnapshot;
import io.kvreactive.testing.ShortTries;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tuple;
import reactor.core.publisher.Flux;

/**
 * Any schedule of commits, passing time, wall clocks that are set back, restarts and images: every
 * reader sees the state of the model at that time, even if expired keys are not removed yet. At the
 * end the store has removed them, and the feed has emitted the removals. Time passes in hours, or
 * in nine tenths of hours while the wall clock is behind. Keys expire at half hours.
 */
class ExpiryModelPropertyTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final long HOUR = 3_600_000;
  private static final long ID_HOURS = 24;
  private static final KvRange ALL = KvRange.prefix("e");

  sealed interface Step {}

  /** Expectation of a commit about a key. */
  enum Expected {
    AS_IT_IS,
    ABSENT,
    AS_BEFORE_IT_EXPIRED
  }

  record Check(int key, Expected expected) {}

  /** A change. Its expiry is in half hours from now; 0 for never. */
  record Timed(Change change, int halfHours) {}

  /**
   * @param id the commit id, from a small range so that ids repeat; 0 for none
   */
  record Commit(int id, List<Check> checks, List<Timed> changes) implements Step {}

  record Pass(int hours) implements Step {}

  record SetBack(int hours) implements Step {}

  record Reopen(int hoursBack) implements Step {}

  /** Writes enough to flush memory to the image. */
  record Fill() implements Step {}

  private static Arbitrary<Timed> changes() {
    Arbitrary<Integer> keys = Arbitraries.integers().between(0, KEYS - 1);
    Arbitrary<Long> values = Arbitraries.of(0L, 1L, 5L, -1L);
    Arbitrary<Integer> times = Arbitraries.of(0, 0, -1, 1, 1, 1, 3, 3, 5, 49);
    return Arbitraries.frequencyOf(
        Tuple.of(
            6,
            Combinators.combine(keys, values, times)
                .as((key, value, at) -> new Timed(new ExpiryModel.Set(key, value, 0), at))),
        Tuple.of(
            3,
            Combinators.combine(keys, times)
                .as((key, at) -> new Timed(new ExpiryModel.Touch(key, 0), at))),
        Tuple.of(1, keys.map(key -> new Timed(new ExpiryModel.Delete(key), 0))),
        Tuple.of(
            1,
            Combinators.combine(keys, keys)
                .as(
                    (a, b) ->
                        new Timed(new ExpiryModel.DeleteRange(Math.min(a, b), Math.max(a, b)), 0))),
        Tuple.of(
            2,
            Combinators.combine(keys, values)
                .as((key, by) -> new Timed(new ExpiryModel.Sum(key, by), 0))),
        Tuple.of(
            1,
            Combinators.combine(keys, values)
                .as((key, by) -> new Timed(new ExpiryModel.Min(key, by), 0))),
        Tuple.of(
            1,
            Combinators.combine(keys, values)
                .as((key, by) -> new Timed(new ExpiryModel.Max(key, by), 0))));
  }

  @Provide
  Arbitrary<List<Step>> schedules() {
    Arbitrary<Check> checks =
        Combinators.combine(
                Arbitraries.integers().between(0, KEYS - 1),
                Arbitraries.frequency(
                    Tuple.of(4, Expected.AS_IT_IS),
                    Tuple.of(1, Expected.ABSENT),
                    Tuple.of(1, Expected.AS_BEFORE_IT_EXPIRED)))
            .as(Check::new);
    Arbitrary<Step> commits =
        Combinators.combine(
                Arbitraries.of(0, 0, 1, 2),
                checks.list().ofMaxSize(2),
                changes().list().ofMaxSize(4))
            .as(Commit::new);
    return Arbitraries.<Step>frequencyOf(
            Tuple.of(10, commits),
            Tuple.of(5, Arbitraries.of(1, 1, 2, 13).map(Pass::new)),
            Tuple.of(1, Arbitraries.of(1, 5).map(SetBack::new)),
            Tuple.of(1, Arbitraries.of(0, 3).map(Reopen::new)),
            Tuple.of(1, Arbitraries.just(new Fill())))
        .list()
        .ofMinSize(10)
        .ofMaxSize(50);
  }

  @Property(tries = 60, shrinking = ShrinkingMode.BOUNDED)
  @ShortTries(30)
  void showsTheStateOfTheModelToEveryReader(@ForAll("schedules") List<Step> steps)
      throws IOException {
    Path directory = Files.createTempDirectory("expiry-model");
    Run run = new Run(directory);
    try {
      for (Step step : steps) {
        run.step(step);
        run.compare();
      }
      run.verifyFeed();
    } finally {
      run.close();
      try (Stream<Path> files = Files.walk(directory)) {
        files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
      }
    }
  }

  /** A commit that was made under an id. */
  private record Made(Versionstamp stamp, long at) {}

  private static final class Run {
    private final KvOptions options;
    private final ExecutorService storeThread = Executors.newSingleThreadExecutor();
    private final ExpiryModel model = new ExpiryModel();
    private final Map<Integer, Made> ids = new HashMap<>();
    private final Map<Versionstamp, TreeMap<KvKey, Cell>> before = new HashMap<>();
    private final AtomicLong wall = new AtomicLong(500_000 * HOUR);
    private final AtomicLong passed = new AtomicLong(); // milliseconds of the monotonic clock
    private final ClockSources clocks =
        new ClockSources(wall::get, () -> passed.get() * 1_000_000, () -> 0);
    private long now = wall.get(); // as in the store
    private EmbeddedEngine engine;
    private Kv kv;

    Run(Path directory) {
      options =
          KvOptions.at(directory)
              .withMemoryBytes(1 << 20)
              .withDurability(Durability.RELAXED)
              .withOldValues(true);
      open();
    }

    private void open() {
      engine = EmbeddedEngine.open(options, storeThread, clocks);
      kv = Kv.over(engine, "expiry-model");
    }

    void close() {
      kv.close().block(TIMEOUT);
      storeThread.shutdown();
    }

    void step(Step step) {
      if (step instanceof Commit commit) {
        commit(commit);
      } else if (step instanceof Pass pass) {
        long slower = now + pass.hours * HOUR * 9 / 10; // while the wall clock is behind
        passed.addAndGet(pass.hours * HOUR);
        now = Math.max(slower, wall.addAndGet(pass.hours * HOUR));
        assertThat(engine.now()).isEqualTo(now);
        model.at(now);
      } else if (step instanceof SetBack back) {
        wall.addAndGet(-back.hours * HOUR);
        assertThat(engine.now()).isEqualTo(now);
      } else if (step instanceof Reopen reopen) {
        kv.set(KvKey.of("last"), 1).block(TIMEOUT); // the log has the time
        kv.close().block(TIMEOUT);
        wall.addAndGet(-reopen.hoursBack * HOUR);
        open();
      } else {
        for (int i = 0; i < 12; i++) {
          kv.set(KvKey.of("filler", i), new byte[60_000]).block(TIMEOUT);
        }
      }
    }

    private void commit(Commit commit) {
      AtomicOperation atomic = kv.atomic();
      List<Integer> failing = new ArrayList<>();
      for (int i = 0; i < commit.checks.size(); i++) {
        Check check = commit.checks.get(i);
        Versionstamp is = model.stamp(check.key);
        Versionstamp gone = model.gone(check.key);
        if (check.expected == Expected.AS_IT_IS) {
          atomic.check(key(check.key), is);
        } else if (check.expected == Expected.AS_BEFORE_IT_EXPIRED && gone != null) {
          atomic.check(key(check.key), gone);
          failing.add(i); // stamps are not reused
        } else {
          atomic.checkAbsent(key(check.key));
          if (is != null) {
            failing.add(i);
          }
        }
      }
      List<Change> changes = commit.changes.stream().map(this::at).toList();
      changes.forEach(change -> add(atomic, change));
      Made made = ids.get(commit.id);
      boolean onTheEdge = made != null && Math.abs(now - made.at - ID_HOURS * HOUR) < HOUR;
      boolean named = commit.id != 0 && !onTheEdge;
      boolean again = named && made != null && now - made.at < ID_HOURS * HOUR;
      if (named) {
        atomic.commitId("id" + commit.id);
      }

      CommitResult result = atomic.commit().block(TIMEOUT);
      if (again) {
        assertThat(result.versionstamp()).as("the first time's").isEqualTo(made.stamp);
        return;
      }
      assertThat(result.failedChecks()).isEqualTo(failing);
      if (result.committed()) {
        before.putIfAbsent(result.versionstamp(), new TreeMap<>(model.present()));
        model.commit(changes, result.versionstamp(), now);
        if (named && !changes.isEmpty()) { // the id of a commit without changes is not stored
          ids.put(commit.id, new Made(result.versionstamp(), now));
        }
      }
    }

    private Change at(Timed timed) {
      long at = timed.halfHours == 0 ? 0 : now + timed.halfHours * HOUR / 2;
      if (timed.change instanceof ExpiryModel.Set set) {
        return new ExpiryModel.Set(set.key(), set.value(), at);
      } else if (timed.change instanceof ExpiryModel.Touch touch) {
        return new ExpiryModel.Touch(touch.key(), at);
      }
      return timed.change;
    }

    private static void add(AtomicOperation atomic, Change change) {
      if (change instanceof ExpiryModel.Set c && c.expireAt() == 0) {
        atomic.set(key(c.key()), KvU64.wrapped(c.value()));
      } else if (change instanceof ExpiryModel.Set c) {
        atomic.set(key(c.key()), KvU64.wrapped(c.value()), Instant.ofEpochMilli(c.expireAt()));
      } else if (change instanceof ExpiryModel.Touch c) {
        atomic.touch(key(c.key()), c.expireAt() == 0 ? null : Instant.ofEpochMilli(c.expireAt()));
      } else if (change instanceof ExpiryModel.Delete c) {
        atomic.delete(key(c.key()));
      } else if (change instanceof ExpiryModel.DeleteRange c) {
        atomic.deleteRange(KvRange.between(key(c.from()), key(c.to())));
      } else if (change instanceof ExpiryModel.Sum c) {
        atomic.sum(key(c.key()), KvU64.wrapped(c.by()));
      } else if (change instanceof ExpiryModel.Min c) {
        atomic.min(key(c.key()), KvU64.wrapped(c.by()));
      } else if (change instanceof ExpiryModel.Max c) {
        atomic.max(key(c.key()), KvU64.wrapped(c.by()));
      }
    }

    /** Reads in every way. */
    void compare() {
      Map<KvKey, Cell> present = model.present();
      List<KvKey> keys = IntStream.range(0, KEYS).mapToObj(ExpiryModel::key).toList();
      assertThat(cells(kv.list(ALL, KvU64.class))).as("list").isEqualTo(present);
      ListOptions backwards = ListOptions.DEFAULT.withReverse(true);
      assertThat(cells(kv.list(ALL, backwards, KvU64.class))).as("reverse").isEqualTo(present);
      assertThat(cells(kv.getMany(keys, KvU64.class))).as("getMany").isEqualTo(present);
      assertThat(cells(Flux.fromIterable(keys).concatMap(key -> kv.get(key, KvU64.class))))
          .as("get")
          .isEqualTo(present);
      assertThat(cells(kv.watch(keys.get(0), KvU64.class).take(1)))
          .as("watch")
          .isEqualTo(only(present, keys.get(0)));
      assertThat(kv.count(ALL).block(TIMEOUT)).as("count").isEqualTo(present.size());
      assertThat(kv.transact(tx -> tx.list(ALL).count()).block(TIMEOUT))
          .as("transact")
          .isEqualTo(present.size());
    }

    private static Map<KvKey, Cell> only(Map<KvKey, Cell> cells, KvKey key) {
      return cells.containsKey(key) ? Map.of(key, cells.get(key)) : Map.of();
    }

    private static Map<KvKey, Cell> cells(Flux<KvEntry<KvU64>> entries) {
      Map<KvKey, Cell> cells = new TreeMap<>();
      for (KvEntry<KvU64> e : entries.filter(KvEntry::exists).collectList().block(TIMEOUT)) {
        Instant at = e.expireAt();
        Cell cell = new Cell(e.required(), e.versionstamp(), at == null ? 0 : at.toEpochMilli());
        cells.put(e.key(), cell);
      }
      return cells;
    }

    /** Asserts that the feed reproduces the store once all expired keys are removed. */
    void verifyFeed() {
      // an expired key wakes the store, which cannot detect that the clock was set forward
      kv.set(KvKey.of("past"), 1, Instant.ofEpochMilli(1)).block(TIMEOUT);
      Flux.interval(Duration.ofMillis(5))
          .map(tick -> expiredAndStored())
          .takeUntil(left -> left == 0)
          .blockLast(TIMEOUT);
      Versionstamp last = kv.set(key(KEYS), KvU64.of(1)).block(TIMEOUT);
      storeThread.execute(engine::syncLog); // feeds emit durable commits
      Map<KvKey, Cell> mirror = new TreeMap<>();
      ChangesOptions old = ChangesOptions.DEFAULT.withOldValues(true);
      for (KvCommit<KvU64> commit :
          kv.changes(ALL, Versionstamp.ZERO, old, KvU64.class)
              .takeUntil(commit -> commit.versionstamp().equals(last))
              .collectList()
              .block(TIMEOUT)) {
        commit.changes().forEach(change -> follow(change, commit.versionstamp(), mirror));
      }
      assertThat(mirror.remove(key(KEYS))).isNotNull();
      assertThat(mirror).isEqualTo(model.present());
    }

    private int expiredAndStored() {
      try (StoreSnapshot snapshot = engine.store().snapshot()) {
        return engine
            .store()
            .scanExpired(snapshot, new byte[0], Integer.MAX_VALUE)
            .expired()
            .size();
      }
    }

    private void follow(KvChange<KvU64> change, Versionstamp stamp, Map<KvKey, Cell> mirror) {
      if (change instanceof KvChange.Set<KvU64> c) {
        assertThat(c.oldVersionstamp()).as("%s at %s", c, stamp).isEqualTo(old(c.key(), stamp));
        mirror.put(c.key(), new Cell(c.value(), stamp, millis(c.expireAt())));
      } else if (change instanceof KvChange.Touch<KvU64> c) {
        Cell cell = mirror.get(c.key());
        assertThat(c.oldVersionstamp()).isEqualTo(cell.stamp()).isEqualTo(old(c.key(), stamp));
        mirror.put(c.key(), new Cell(cell.value(), stamp, millis(c.expireAt())));
      } else if (change instanceof KvChange.Delete<KvU64> c) {
        assertThat(c.oldVersionstamp()).isEqualTo(old(c.key(), stamp)).isNotNull();
        assertThat(c.oldValue()).isEqualTo(mirror.remove(c.key()).value());
      } else if (change instanceof KvChange.Expire<KvU64> c) {
        Cell cell = mirror.remove(c.key());
        assertThat(cell).as("%s at %s", c, stamp).isNotNull();
        assertThat(c.oldVersionstamp()).isEqualTo(cell.stamp());
        assertThat(cell.expireAt()).as("its time has come").isBetween(1L, now);
      } else if (change instanceof KvChange.DeleteRange<KvU64> c) {
        mirror.keySet().removeIf(c.range()::contains);
      }
    }

    private static long millis(Instant at) {
      return at == null ? 0 : at.toEpochMilli();
    }

    /** Returns the stamp of a key that readers saw before a commit. */
    private Versionstamp old(KvKey key, Versionstamp commit) {
      Cell cell = before.getOrDefault(commit, new TreeMap<>()).get(key);
      return cell == null ? null : cell.stamp();
    }
  }
}
