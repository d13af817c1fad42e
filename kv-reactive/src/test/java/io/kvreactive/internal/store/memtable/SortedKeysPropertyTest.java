package io.kvreactive.internal.store.memtable;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class SortedKeysPropertyTest {
  private static final byte[] BYTES = {0, 1, 127, -128, -1};
  private static final int MAX_KEYS = 40;
  private static final int MOST = 20;

  /** Returns a key that shares a prefix with others, and may be one of theirs. */
  private static byte[] key(Random random, int prefix) {
    byte[] key = new byte[prefix + random.nextInt(MOST - prefix)];
    for (int i = 0; i < key.length; i++) {
      key[i] = i < prefix && random.nextInt(40) > 0 ? 7 : BYTES[random.nextInt(BYTES.length)];
    }
    return key;
  }

  @Property(tries = 400)
  void findsWhatASearchOfAllBytesFinds(@ForAll long seed, @ForAll @IntRange(max = 12) int prefix) {
    Random random = new Random(seed);
    List<byte[]> model = new ArrayList<>();
    SortedKeys keys = SortedKeys.NONE;
    for (int i = 0; i < 4 * MAX_KEYS; i++) {
      byte[] key = key(random, prefix);
      int at = keys.find(key);
      assertThat(at).isEqualTo(search(model, key));
      assertThat(Math.max(keys.indexOf(key), -1)).isEqualTo(Math.max(at, -1));
      if (at < 0 && model.size() < MAX_KEYS) {
        keys = keys.with(-at - 1, key);
        model.add(-at - 1, key);
      } else if (at >= 0 && random.nextBoolean()) {
        keys = keys.without(at);
        model.remove(at);
      } else if (random.nextInt(10) == 0) {
        int from = random.nextInt(model.size() + 1);
        int to = from + random.nextInt(model.size() - from + 1);
        keys = keys.part(from, to);
        model = new ArrayList<>(model.subList(from, to));
      }
      assertThat(keys.size()).isEqualTo(model.size());
      for (int j = 0; j < model.size(); j++) {
        assertThat(keys.get(j)).isSameAs(model.get(j));
        assertThat(keys.find(model.get(j).clone())).isEqualTo(j);
      }
    }
  }

  private static int search(List<byte[]> keys, byte[] key) {
    Comparator<byte[]> order = Arrays::compareUnsigned;
    return Arrays.binarySearch(keys.toArray(byte[][]::new), key, order);
  }
}
