package io.kvreactive.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.KvValue;
import io.kvreactive.KvValue.Encoding;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.Mutation;
import io.kvreactive.spi.StoredChange;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Stored records and applied mutations of sets that do not read the previous entry. */
class BlindSetTest {
  private static final int COMMITS = 300;
  private static final int KEYS = 12;

  private final Store store = Store.open(StoreOptions.of(null, true, 1 << 20), () -> {});

  @AfterEach
  void close() throws Exception {
    store.close();
  }

  private static byte[] key(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static KvValue value(int number) {
    return new KvValue(Encoding.BYTES, new byte[] {(byte) number});
  }

  private List<StoredChange> commit(Mutation... mutations) {
    var unused = store.stage(new Commit(List.of(), List.of(mutations)));
    return store.publish().get(0).effects();
  }

  @Test
  void recordsThePreviousVersionOnlyForOrdinarySets() {
    var unused = commit(new Mutation.Set(key("a"), value(1)), new Mutation.Set(key("b"), value(1)));

    List<StoredChange> both =
        commit(new Mutation.Set(key("a"), value(2)), Mutation.Set.blind(key("b"), value(2)));

    assertThat(both).extracting(StoredChange::oldVersion).containsExactly(1L, 0L);
    assertThat(commit(new Mutation.Delete(key("b"))).get(0).oldVersion()).isEqualTo(2);
  }

  @Test
  void appliesLaterMutationsOfTheCommitAfterABlindSet() {
    List<StoredChange> effects =
        commit(Mutation.Set.blind(key("a"), value(1)), new Mutation.Delete(key("a")));

    assertThat(effects).extracting(StoredChange::kind).containsExactly(StoredChange.Kind.DELETE);
  }

  /** Ascending changes take a faster path than others. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void storesTheLastSetOrDeleteOfEachKey(boolean ascending) {
    Random random = new Random(7);
    TreeMap<String, Integer> expected = new TreeMap<>();
    for (int i = 0; i < COMMITS; i++) {
      TreeMap<String, Mutation> byKey = new TreeMap<>();
      List<Mutation> inAnyOrder = new ArrayList<>();
      for (int m = 1 + random.nextInt(6); m > 0; m--) {
        String name = "k" + (char) ('a' + random.nextInt(KEYS));
        Mutation mutation = mutation(random, name, i);
        byKey.put(name, mutation);
        inAnyOrder.add(mutation);
      }
      byKey.forEach(
          (name, last) -> {
            if (last instanceof Mutation.Set set) {
              expected.put(name, (int) set.value().bytes()[0]);
            } else {
              expected.remove(name);
            }
          });
      var unused = commit((ascending ? byKey.values() : inAnyOrder).toArray(new Mutation[0]));
    }

    assertThat(stored()).isEqualTo(expected);
  }

  private static Mutation mutation(Random random, String name, int number) {
    return switch (random.nextInt(3)) {
      case 0 -> new Mutation.Delete(key(name));
      case 1 -> new Mutation.Set(key(name), value(number % 100));
      default -> Mutation.Set.blind(key(name), value(number % 100));
    };
  }

  private Map<String, Integer> stored() {
    Map<String, Integer> all = new TreeMap<>();
    try (StoreSnapshot snapshot = store.snapshot()) {
      ViewCursor cursor = snapshot.enter().range(key("k"), key("l"), false);
      while (cursor.next()) {
        String name = new String(cursor.key(), StandardCharsets.US_ASCII);
        all.put(name, (int) cursor.value().bytes()[0]);
      }
      snapshot.leave();
    }
    return all;
  }
}
