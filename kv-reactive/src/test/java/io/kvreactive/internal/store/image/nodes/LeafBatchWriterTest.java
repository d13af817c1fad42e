package io.kvreactive.internal.store.image.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.KvValue;
import io.kvreactive.internal.store.image.SortedImage;
import io.kvreactive.testing.Seeds;
import io.kvreactive.testing.Tries;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;

/** Changes written leaf by leaf have the same result as changes written key by key. */
class LeafBatchWriterTest {
  private static final byte[] START = {};
  private static final byte[] END = {(byte) 0xFF, (byte) 0xFF};

  private final SortedImage image = SortedImage.inMemory();
  private final TreeMap<Integer, Long> expected = new TreeMap<>();

  private static byte[] key(int n) {
    return ByteBuffer.allocate(4).putInt(n).array();
  }

  /** Some values are too long for a leaf. */
  private static KvValue value(int n, long version) {
    int length = n % 7 == 0 ? ImageRecord.MAX_INLINE + n % 50 : n % 40;
    byte[] bytes = new byte[8 + length];
    ByteBuffer.wrap(bytes).putLong(version);
    return new KvValue(KvValue.Encoding.BYTES, bytes);
  }

  private void change(int n, long version, boolean remove) {
    if (remove) {
      image.removeInOrder(key(n));
      expected.remove(n);
    } else {
      image.putInOrder(key(n), version, value(n, version), n % 5 == 0 ? 1000 + n : 0);
      expected.put(n, version);
    }
  }

  /** Memtables of few scattered keys, of runs, and of keys in random order. */
  @ParameterizedTest
  @Seeds(shortForm = 2, longForm = 6)
  void batchWritesMatchSingleWrites(long seed) {
    Random random = new Random(seed);
    for (long version = 1; version <= Tries.of(30, 60); version++) {
      List<Integer> keys = keys(random);
      int removedOf100 = random.nextInt(4) == 0 ? 80 : 20;
      for (int n : keys) {
        change(n, version, random.nextInt(100) < removedOf100);
      }
      if (random.nextInt(10) == 0) {
        Collections.shuffle(keys, random); // unusual but supported
        for (int n : keys) {
          change(n, version, random.nextBoolean());
        }
      }
      image.flush();
      assertSame();
    }
  }

  private static List<Integer> keys(Random random) {
    TreeSet<Integer> keys = new TreeSet<>();
    int from = random.nextInt(20_000);
    int count = random.nextInt(700);
    boolean run = random.nextBoolean();
    for (int i = 0; i < count; i++) {
      keys.add(run ? from + i : random.nextInt(20_000));
    }
    return new ArrayList<>(keys);
  }

  private void assertSame() {
    assertThat(image.keys()).isEqualTo(expected.size());
    assertThat(versions(image.range(START, END, false))).isEqualTo(expected);
    assertThat(versions(image.range(START, END, true))).isEqualTo(expected);
    expected.forEach(
        (n, version) -> {
          ImageRecord found = image.find(key(n));
          assertThat(found).isNotNull();
          assertThat(image.load(found).bytes()).isEqualTo(value(n, version).bytes());
          assertThat(n % 5 != 0 || image.isIndexed(key(n), 1000 + n)).isTrue();
        });
    int expiring = 0;
    for (Iterator<byte[]> all = image.expiry(START); all.hasNext(); all.next()) {
      expiring++;
    }
    assertThat(expiring)
        .isEqualTo((int) expected.keySet().stream().filter(n -> n % 5 == 0).count());
  }

  private static TreeMap<Integer, Long> versions(Iterator<Map.Entry<byte[], ImageRecord>> records) {
    TreeMap<Integer, Long> versions = new TreeMap<>();
    while (records.hasNext()) {
      Map.Entry<byte[], ImageRecord> entry = records.next();
      Long before =
          versions.put(ByteBuffer.wrap(entry.getKey()).getInt(), entry.getValue().version());
      assertThat(before).isNull();
    }
    return versions;
  }
}
