package io.kvreactive.internal.store.memtable;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class KeyTreeTest {
  private static final int KEYS = 20_000;

  private static byte[] key(int number) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
  }

  private static int number(Map.Entry<byte[], VersionedValue> entry) {
    return ByteBuffer.wrap(entry.getKey()).getInt();
  }

  private static VersionedValue version(long version) {
    return new VersionedValue(version, null, 0);
  }

  private static List<Integer> numbers(Iterator<Map.Entry<byte[], VersionedValue>> entries) {
    List<Integer> numbers = new ArrayList<>();
    entries.forEachRemaining(entry -> numbers.add(number(entry)));
    return numbers;
  }

  @Property(tries = 60)
  void isASortedMap(@ForAll long seed, @ForAll @IntRange(min = 1, max = 6_000) int numbers) {
    Random random = new Random(seed);
    KeyTree tree = new KeyTree();
    NavigableMap<byte[], VersionedValue> model = new TreeMap<>(Arrays::compareUnsigned);
    for (int i = 1; i <= 6_000; i++) {
      byte[] key = key(random.nextInt(numbers));
      VersionedValue before = model.get(key);
      if (before != null && random.nextInt(8) == 0) {
        VersionedValue back = random.nextBoolean() ? null : before.at(before.version() - 1);
        tree.reset(key, back);
        model.compute(key, (k, v) -> back);
      } else {
        VersionedValue state = version(i);
        assertThat(tree.put(key, state)).isSameAs(before);
        model.put(key, state);
        assertThat(state.at(i - 1)).isSameAs(before);
      }
      if (i % 500 == 0) {
        assertThat(tree.size()).isEqualTo(model.size());
        compare(tree.all(), model);
        byte[] start = key(random.nextInt(numbers));
        byte[] end = key(random.nextInt(numbers));
        if (Arrays.compareUnsigned(start, end) <= 0) {
          NavigableMap<byte[], VersionedValue> range = model.subMap(start, true, end, false);
          compare(tree.range(start, end, false), range);
          compare(tree.range(start, end, true), range.descendingMap());
        }
      }
    }
    for (int number = 0; number < numbers; number++) {
      assertThat(tree.get(key(number))).isSameAs(model.get(key(number)));
    }
  }

  private static void compare(
      Iterator<Map.Entry<byte[], VersionedValue>> actual, Map<byte[], VersionedValue> expected) {
    for (Map.Entry<byte[], VersionedValue> entry : expected.entrySet()) {
      Map.Entry<byte[], VersionedValue> next = actual.next();
      assertThat(next.getKey()).isEqualTo(entry.getKey());
      assertThat(next.getValue()).isSameAs(entry.getValue());
    }
    assertThat(actual.hasNext()).isFalse();
  }

  @Test
  void takesKeysInAnyOrder() {
    List<Integer> expected = IntStream.range(0, KEYS).boxed().toList();
    List<Integer> descending = new ArrayList<>(expected);
    Collections.reverse(descending);
    List<Integer> shuffled = new ArrayList<>(expected);
    Collections.shuffle(shuffled, new Random(1));
    for (List<Integer> order : List.of(expected, descending, shuffled)) {
      KeyTree tree = new KeyTree();
      order.forEach(number -> tree.put(key(number), version(1)));
      assertThat(numbers(tree.all())).isEqualTo(expected);
      assertThat(numbers(tree.range(key(0), key(KEYS), true))).isEqualTo(descending);
    }
  }

  @Test
  void isEmptyInBothDirectionsAfterRemovals() {
    KeyTree tree = new KeyTree();
    IntStream.range(0, 5_000).forEach(number -> tree.put(key(number), version(1)));
    IntStream.range(0, 5_000).forEach(number -> tree.reset(key(number), null));
    assertThat(tree.size()).isZero();
    assertThat(tree.all().hasNext()).isFalse();
    assertThat(tree.range(key(0), key(5_000), true).hasNext()).isFalse();
    tree.put(key(7), version(2));
    assertThat(numbers(tree.all())).containsExactly(7);
    assertThat(numbers(tree.range(key(0), key(5_000), true))).containsExactly(7);
  }

  @Test
  void showsReadersAllKeysPresentAtTheirStart() throws Exception {
    List<Integer> order = new ArrayList<>(IntStream.range(0, KEYS).boxed().toList());
    Collections.shuffle(order, new Random(2));
    long[] published = {0};
    KeyTree tree = new KeyTree();
    ExecutorService readers = Executors.newFixedThreadPool(2);
    try {
      CompletableFuture<?> up =
          CompletableFuture.runAsync(() -> readWhile(tree, order, published, false), readers);
      CompletableFuture<?> down =
          CompletableFuture.runAsync(() -> readWhile(tree, order, published, true), readers);
      for (int i = 0; i < KEYS; i++) {
        tree.put(key(order.get(i)), version(i + 1));
        synchronized (published) {
          published[0] = i + 1;
        }
      }
      CompletableFuture.allOf(up, down).get(60, TimeUnit.SECONDS);
    } finally {
      readers.shutdownNow();
    }
  }

  /** Reads repeatedly and counts the visible commits, until all are visible. */
  private static void readWhile(
      KeyTree tree, List<Integer> order, long[] published, boolean reverse) {
    Random random = new Random(3);
    long version = 0;
    while (version < KEYS) {
      synchronized (published) {
        version = published[0];
      }
      int last = reverse ? KEYS : -1;
      long seen = 0;
      Iterator<Map.Entry<byte[], VersionedValue>> entries = tree.range(key(0), key(KEYS), reverse);
      while (entries.hasNext()) {
        Map.Entry<byte[], VersionedValue> entry = entries.next();
        assertThat(Integer.compare(number(entry), last)).isEqualTo(reverse ? -1 : 1);
        last = number(entry);
        seen += entry.getValue().at(version) == null ? 0 : 1;
      }
      assertThat(seen).isEqualTo(version);
      if (version > 0) {
        int one = random.nextInt((int) version);
        assertThat(tree.get(key(order.get(one)))).isNotNull();
      }
    }
  }
}
