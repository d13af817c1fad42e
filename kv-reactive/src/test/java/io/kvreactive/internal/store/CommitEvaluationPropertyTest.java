package io.kvreactive.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.CommitResult;
import io.kvreactive.KvException;
import io.kvreactive.KvU64;
import io.kvreactive.KvValue;
import io.kvreactive.internal.store.log.CommitRecord;
import io.kvreactive.internal.value.ValueMapper;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.MergeOperators;
import io.kvreactive.spi.Mutation;
import io.kvreactive.spi.StoredChange;
import io.kvreactive.testing.ShortTries;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tuple;

/**
 * Commits with small and large ranges, merged, covered and cut by other changes, have the same
 * effect as their mutations in sequence on a sorted map.
 */
class CommitEvaluationPropertyTest {
  private static final int KEYS = 1200;
  private static final ValueMapper VALUES = new ValueMapper();
  private static final long LATER = Long.MAX_VALUE / 2;
  private static final KvValue ONE = VALUES.encode(BigInteger.ONE);
  private static final KvValue U64 = VALUES.encode(KvU64.of(3));
  private static final KvValue DOUBLE = VALUES.encode(0.5);
  private static final KvValue TEXT = VALUES.encode("text");

  private record Cell(KvValue value, long expireAt) {}

  /** The evaluation is correct for any part of the keys in the image. */
  record Step(List<Mutation> mutations, boolean image) {}

  private static byte[] key(int n) {
    return ByteBuffer.allocate(3).put((byte) 'k').putShort((short) n).array();
  }

  @Provide
  Arbitrary<List<Step>> steps() {
    Arbitrary<byte[]> keys =
        Arbitraries.frequencyOf(
                Tuple.of(3, Arbitraries.integers().between(0, 12)),
                Tuple.of(1, Arbitraries.integers().between(0, KEYS)))
            .map(CommitEvaluationPropertyTest::key);
    Arbitrary<Mutation> mutations =
        Arbitraries.frequencyOf(
            Tuple.of(
                4,
                Combinators.combine(keys, Arbitraries.of(ONE, U64, DOUBLE, TEXT))
                    .as((key, value) -> new Mutation.Set(key, value))),
            Tuple.of(2, keys.map(Mutation.Delete::new)),
            Tuple.of(2, keys.map(key -> new Mutation.Touch(key, LATER))),
            Tuple.of(
                3,
                Combinators.combine(keys, Arbitraries.of(ONE, U64, DOUBLE))
                    .as((key, by) -> new Mutation.Sum(key, by, null, null, false))),
            Tuple.of(1, keys.map(key -> new Mutation.Min(key, U64))),
            Tuple.of(1, keys.map(key -> new Mutation.Max(key, U64))),
            Tuple.of(4, Combinators.combine(keys, keys).as(Mutation.DeleteRange::new)),
            Tuple.of(
                2,
                Combinators.combine(keys, Arbitraries.integers().between(0, KEYS))
                    .as((from, to) -> new Mutation.DeleteRange(from, key(to)))));
    return Combinators.combine(mutations.list().ofMaxSize(30), Arbitraries.of(true, false, false))
        .as(Step::new)
        .list()
        .ofMinSize(1)
        .ofMaxSize(8);
  }

  @Property(tries = 200, shrinking = ShrinkingMode.BOUNDED)
  @ShortTries(80)
  void evaluatesCommitsLikeTheirMutationsInSequence(@ForAll("steps") List<Step> steps)
      throws IOException {
    AtomicBoolean writeImage = new AtomicBoolean();
    Store store = Store.open(StoreOptions.of(null, true, 1 << 14), () -> writeImage.set(true));
    TreeMap<byte[], Cell> model = new TreeMap<>(Arrays::compareUnsigned);
    TreeMap<byte[], Cell> followed = new TreeMap<>(Arrays::compareUnsigned);
    List<Mutation> fill = new ArrayList<>();
    for (int i = 0; i < KEYS; i += 2) {
      fill.add(new Mutation.Set(key(i), i % 3 == 0 ? ONE : U64));
    }
    commit(store, fill, model, followed);
    for (Step step : steps) {
      commit(store, step.mutations, model, followed);
      if (step.image && writeImage.getAndSet(false)) {
        assertThat(store.image().write()).isTrue();
        store.imageWritten();
      }
    }
    store.close();
  }

  private static void commit(
      Store store,
      List<Mutation> mutations,
      TreeMap<byte[], Cell> model,
      TreeMap<byte[], Cell> followed) {
    TreeMap<byte[], Cell> next = new TreeMap<>(model);
    KvException expected = null;
    try {
      mutations.forEach(mutation -> apply(mutation, next));
    } catch (KvException e) {
      expected = e;
    }
    try {
      CommitResult result = store.stage(new Commit(List.of(), mutations));
      assertThat(expected).isNull();
      assertThat(result.committed()).isTrue();
      model.clear();
      model.putAll(next);
    } catch (KvException e) {
      assertThat(expected).isNotNull();
      assertThat(e.code()).isEqualTo(expected.code());
    }
    for (CommitRecord committed : store.publish()) {
      follow(committed.effects(), followed);
    }
    assertThat(followed.equals(model)).as("what the effects come to").isTrue();
    assertThat(stored(store, false).equals(model)).as("what is stored").isTrue();
    assertThat(stored(store, true).equals(model)).as("what is stored, in reverse").isTrue();
  }

  private static TreeMap<byte[], Cell> stored(Store store, boolean reverse) {
    TreeMap<byte[], Cell> stored = new TreeMap<>(Arrays::compareUnsigned);
    try (StoreSnapshot snapshot = store.snapshot()) {
      ViewCursor cursor =
          snapshot.enter().range(new byte[0], new byte[] {(byte) SystemKeys.PREFIX}, reverse);
      while (cursor.next()) {
        stored.put(cursor.key(), new Cell(cursor.value(), cursor.expireAt()));
      }
      snapshot.leave();
    }
    return stored;
  }

  /** Applies the effects of one commit: ranges first, then at most one for each key. */
  private static void follow(List<StoredChange> effects, TreeMap<byte[], Cell> cells) {
    byte[] lastRange = {};
    byte[] lastKey = {};
    for (StoredChange effect : effects) {
      byte[] end = effect.end();
      if (end != null) {
        assertThat(lastKey).isEmpty();
        assertThat(Arrays.compareUnsigned(lastRange, effect.key())).isNegative();
        lastRange = end;
        cells.subMap(effect.key(), true, end, false).clear();
        continue;
      }
      assertThat(Arrays.compareUnsigned(lastKey, effect.key())).isNegative();
      lastKey = effect.key();
      Cell before = cells.get(effect.key());
      switch (effect.kind()) {
        case SET -> cells.put(effect.key(), new Cell(effect.value(), effect.expireAt()));
        case TOUCH -> cells.put(effect.key(), new Cell(before.value, effect.expireAt()));
        default -> cells.remove(effect.key());
      }
    }
  }

  private static void apply(Mutation mutation, TreeMap<byte[], Cell> cells) {
    byte[] key = mutation.key();
    Cell before = cells.get(key);
    if (mutation instanceof Mutation.Set set) {
      cells.put(key, new Cell(set.value(), set.expireAt()));
    } else if (mutation instanceof Mutation.Delete) {
      cells.remove(key);
    } else if (mutation instanceof Mutation.Touch touch) {
      cells.computeIfPresent(key, (k, cell) -> new Cell(cell.value, touch.expireAt()));
    } else if (mutation instanceof Mutation.DeleteRange range) {
      Map<byte[], Cell> covered =
          Arrays.compareUnsigned(key, range.end()) < 0
              ? cells.subMap(key, true, range.end(), false)
              : Map.of();
      covered.keySet().removeIf(any -> true);
    } else {
      KvValue value = before == null ? null : before.value;
      cells.put(key, new Cell(MergeOperators.apply(mutation, value), 0));
    }
  }
}
