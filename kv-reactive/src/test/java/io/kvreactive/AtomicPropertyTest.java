package io.kvreactive;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.testing.ShortTries;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
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

/**
 * Atomic operations with range checks, expiry and commit ids have the same effect as on a sorted
 * map.
 */
class AtomicPropertyTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final Instant BASE =
      Instant.now().plus(100, ChronoUnit.DAYS).truncatedTo(ChronoUnit.SECONDS);

  private static Vertx vertx;
  private static Kv kv;

  /** Value, versionstamp and expiry of a key. */
  private record Cell(int value, Versionstamp stamp, Instant expireAt) {}

  /** A part of an operation. */
  sealed interface Part {}

  /**
   * @param days the days until it expires, 0 for never
   */
  record Set(int key, int value, int days) implements Part {}

  record Touch(int key, int days) implements Part {}

  record Delete(int key) implements Part {}

  record DeleteRange(int from, int to) implements Part {}

  /** Expects the current state of the key, or another state. */
  record CheckKey(int key, boolean right) implements Part {}

  /** Expects that the range has not changed for some commits. */
  record CheckRange(int from, int to, int ago) implements Part {}

  /**
   * An operation.
   *
   * @param id the commit id, from a small range so that ids repeat; 0 for none
   */
  record Operation(int id, List<Part> parts) {}

  @BeforeContainer
  static void open() {
    vertx = Vertx.vertx();
    kv = Kv.inMemory(vertx).block(TIMEOUT);
  }

  @AfterContainer
  static void close() {
    kv.close().block(TIMEOUT);
    vertx.close();
  }

  @Provide
  Arbitrary<List<Operation>> operations() {
    Arbitrary<Integer> keys = Arbitraries.integers().between(0, 7);
    Arbitrary<Integer> days = Arbitraries.of(0, 0, 1, 2);
    Arbitrary<Boolean> right = Arbitraries.frequency(Tuple.of(9, true), Tuple.of(1, false));
    Arbitrary<Part> parts =
        Arbitraries.frequencyOf(
            Tuple.of(
                5,
                Combinators.combine(keys, Arbitraries.integers().between(0, 9), days).as(Set::new)),
            Tuple.of(3, Combinators.combine(keys, days).as(Touch::new)),
            Tuple.of(2, keys.map(Delete::new)),
            Tuple.of(1, Combinators.combine(keys, keys).as(DeleteRange::new)),
            Tuple.of(3, Combinators.combine(keys, right).as(CheckKey::new)),
            Tuple.of(
                3,
                Combinators.combine(keys, keys, Arbitraries.of(0, 0, 0, 1, 3))
                    .as(CheckRange::new)));
    Arbitrary<Integer> ids = Arbitraries.of(0, 0, 0, 1, 2, 3);
    return Combinators.combine(ids, parts.list().ofMaxSize(5))
        .as(Operation::new)
        .list()
        .ofMinSize(5)
        .ofMaxSize(40);
  }

  @Property(tries = 300, shrinking = ShrinkingMode.BOUNDED)
  @ShortTries(100)
  void behavesLikeAMap(@ForAll("operations") List<Operation> operations) {
    Run run = new Run(kv.deleteRange(KvRange.all()).block(TIMEOUT));
    operations.forEach(run::step);
  }

  private static KvKey key(int number) {
    return KvKey.of("k", number);
  }

  private static KvRange range(int a, int b) {
    return KvRange.between(key(Math.min(a, b)), key(Math.max(a, b)));
  }

  private static Instant at(int days) {
    return days == 0 ? null : BASE.plus(days, ChronoUnit.DAYS);
  }

  /** The store beside the model, which keeps every version. */
  private static final class Run {
    private final String run = UUID.randomUUID().toString();
    private final List<Map.Entry<Versionstamp, TreeMap<KvKey, Cell>>> versions = new ArrayList<>();
    private final Map<Integer, Versionstamp> ids = new HashMap<>();

    Run(Versionstamp empty) {
      versions.add(Map.entry(empty, new TreeMap<>()));
    }

    private Map.Entry<Versionstamp, TreeMap<KvKey, Cell>> ago(int commits) {
      return versions.get(Math.max(0, versions.size() - 1 - commits));
    }

    void step(Operation operation) {
      TreeMap<KvKey, Cell> now = ago(0).getValue();
      AtomicOperation atomic = kv.atomic();
      List<Integer> failing = new ArrayList<>();
      List<Boolean> rangesHold = new ArrayList<>();
      int checks = 0;
      for (Part part : operation.parts) {
        if (part instanceof CheckKey check) {
          Cell cell = now.get(key(check.key));
          Versionstamp actual = cell == null ? null : cell.stamp;
          Versionstamp other = actual == null ? Versionstamp.of(1) : null;
          atomic.check(key(check.key), check.right ? actual : other);
          if (!check.right) {
            failing.add(checks);
          }
          checks++;
        } else if (part instanceof CheckRange check) {
          KvRange range = range(check.from, check.to);
          atomic.checkUnchanged(range, ago(check.ago).getKey());
          rangesHold.add(unchanged(range, check.ago));
        } else {
          add(atomic, part);
        }
      }
      for (int i = 0; i < rangesHold.size(); i++) {
        if (!rangesHold.get(i)) {
          failing.add(checks + i);
        }
      }
      if (operation.id != 0) {
        atomic.commitId(run + operation.id);
      }
      verify(operation, failing, atomic.commit().block(TIMEOUT));
    }

    /** Returns true if the range is equal in all later versions. */
    private boolean unchanged(KvRange range, int commits) {
      for (int i = 0; i < commits; i++) {
        if (!in(range, ago(i)).equals(in(range, ago(i + 1)))) {
          return false;
        }
      }
      return true;
    }

    private static List<Map.Entry<KvKey, Cell>> in(
        KvRange range, Map.Entry<Versionstamp, TreeMap<KvKey, Cell>> version) {
      return version.getValue().entrySet().stream()
          .filter(e -> range.contains(e.getKey()))
          .toList();
    }

    private static void add(AtomicOperation atomic, Part part) {
      if (part instanceof Set set && set.days == 0) {
        atomic.set(key(set.key), set.value);
      } else if (part instanceof Set set) {
        atomic.set(key(set.key), set.value, at(set.days));
      } else if (part instanceof Touch touch) {
        atomic.touch(key(touch.key), at(touch.days));
      } else if (part instanceof Delete delete) {
        atomic.delete(key(delete.key));
      } else if (part instanceof DeleteRange delete) {
        atomic.deleteRange(range(delete.from, delete.to));
      }
    }

    private void verify(Operation operation, List<Integer> failing, CommitResult result) {
      Versionstamp first = ids.get(operation.id);
      if (first != null) {
        assertThat(result.versionstamp()).isEqualTo(first);
      } else {
        assertThat(result.failedChecks()).isEqualTo(failing);
      }
      if (first == null && result.committed()) {
        Versionstamp stamp = result.versionstamp();
        TreeMap<KvKey, Cell> next = new TreeMap<>(ago(0).getValue());
        operation.parts.forEach(part -> apply(part, next, stamp));
        if (stamp.equals(ago(0).getKey())) { // no change, and no id to store
          assertThat(next).isEqualTo(ago(0).getValue());
          assertThat(operation.id == 0 || !changes(operation)).isTrue();
        } else {
          assertThat(stamp).isGreaterThan(ago(0).getKey());
          assertThat(changes(operation)).isTrue();
          versions.add(Map.entry(stamp, next));
        }
        if (operation.id != 0 && changes(operation)) {
          ids.put(operation.id, stamp);
        }
      }
      Map<KvKey, Cell> stored = new TreeMap<>();
      for (KvEntry<Integer> e :
          kv.list(KvRange.all(), Integer.class).collectList().block(TIMEOUT)) {
        stored.put(e.key(), new Cell(e.required(), e.versionstamp(), e.expireAt()));
      }
      assertThat(stored).isEqualTo(ago(0).getValue());
    }

    private static boolean changes(Operation operation) {
      return operation.parts.stream()
          .anyMatch(part -> !(part instanceof CheckKey || part instanceof CheckRange));
    }

    private static void apply(Part part, TreeMap<KvKey, Cell> cells, Versionstamp stamp) {
      if (part instanceof Set set) {
        cells.put(key(set.key), new Cell(set.value, stamp, at(set.days)));
      } else if (part instanceof Touch touch) {
        cells.computeIfPresent(
            key(touch.key), (k, cell) -> new Cell(cell.value, stamp, at(touch.days)));
      } else if (part instanceof Delete delete) {
        cells.remove(key(delete.key));
      } else if (part instanceof DeleteRange delete) {
        cells.keySet().removeIf(range(delete.from, delete.to)::contains);
      }
    }
  }
}
