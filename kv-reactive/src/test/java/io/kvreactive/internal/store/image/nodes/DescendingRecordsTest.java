package io.kvreactive.internal.store.image.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.KvValue;
import io.kvreactive.internal.store.image.Pager;
import io.kvreactive.internal.store.image.SortedImage;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mapdb.BTreeMap;
import org.mapdb.DB;
import org.mapdb.DBMaker;
import org.mapdb.Store;

/** Descending reads while nodes are split. */
class DescendingRecordsTest {
  private static final int OLD_KEYS = 2000;
  private static final int BETWEEN = 100;
  private static final KvValue VALUE = new KvValue(KvValue.Encoding.BYTES, new byte[10]);

  private static byte[] key(int n) {
    return ByteBuffer.allocate(4).putInt(n).array();
  }

  private static int number(byte[] key) {
    return ByteBuffer.wrap(key).getInt();
  }

  private static ImageRecord record(long version) {
    return new ImageRecord(version, 0, KvValue.Encoding.BYTES, new byte[10], 0);
  }

  @Test
  void returnsAllOldKeysInOrderDuringInsertions() throws Exception {
    SortedImage image = SortedImage.inMemory();
    for (int i = 0; i < OLD_KEYS; i++) {
      image.put(key(i * BETWEEN), 1, VALUE, 0);
    }
    AtomicReference<Throwable> failure = new AtomicReference<>();
    Thread writer =
        new Thread(
            () -> {
              for (int i = OLD_KEYS * BETWEEN;
                  i >= 0;
                  i--) { // in the opposite direction of the reader
                int run = i / 1000 * 1000 + (999 - i % 1000); // ascending runs into few leaves
                if (run % BETWEEN != 0) {
                  image.put(key(run), 2, VALUE, 0);
                }
              }
            });
    writer.setUncaughtExceptionHandler((thread, e) -> failure.set(e));
    writer.start();
    boolean last = false;
    while (!last) {
      last = !writer.isAlive();
      assertAllOldKeysAreThere(image);
    }
    assertThat(failure.get()).isNull();
  }

  private static void assertAllOldKeysAreThere(SortedImage image) {
    Iterator<Map.Entry<byte[], ImageRecord>> records =
        image.range(new byte[0], new byte[] {(byte) 0xFF}, true);
    byte[] last = {(byte) 0xFF};
    int old = 0;
    while (records.hasNext()) {
      Map.Entry<byte[], ImageRecord> next = records.next();
      assertThat(Arrays.compareUnsigned(next.getKey(), last)).isNegative();
      last = next.getKey();
      old += next.getValue().version() == 1 ? 1 : 0;
    }
    assertThat(old).isEqualTo(OLD_KEYS);
  }

  /** Reads after every node that the writer writes, so also in the middle of every split. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void returnsTheRangeInTheMiddleOfEverySplit(long seed) {
    Random random = new Random(seed);
    TreeSet<Integer> there = new TreeSet<>();
    try (DB db = DBMaker.volumeDB(new Pager(null), false).make()) {
      ImageRecord.KeyCodec keys = new ImageRecord.KeyCodec();
      BTreeMap<byte[], ImageRecord> made =
          db.treeMap("data", keys, new ImageRecord.Codec()).maxNodeSize(32).createOrOpen();
      long root = made.getRootRecidRecid();
      Store store = db.getStore();
      Set<Integer> changing = new TreeSet<>();
      int[] near = new int[1];
      Runnable check =
          () -> {
            int end = Math.max(0, near[0] + random.nextInt(40) - 20);
            int start = Math.max(0, end - random.nextInt(400));
            List<Integer> found = new ArrayList<>();
            new DescendingRecords(store, root, key(start), key(end))
                .forEachRemaining(record -> found.add(number(record.getKey())));
            List<Integer> expected =
                new ArrayList<>(
                    there.subSet(start, true, Math.max(start, end), false).descendingSet());
            expected.removeAll(changing);
            found.removeAll(changing);
            assertThat(found).isEqualTo(expected);
            there.stream()
                .filter(n -> !changing.contains(n))
                .limit(3) // far from the split nodes, except for the root
                .forEach(n -> expected.add(n));
            for (int n : expected) {
              assertThat(made.get(key(n))).as("key %s", n).isNotNull();
            }
          };
      BTreeMap<byte[], ImageRecord> tree = // like the tree of the image
          new BTreeMap<>(
              keys,
              new ImageRecord.Codec(),
              root,
              checkedAtEveryStep(store, check),
              true,
              32,
              keys,
              false,
              made.getCounterRecid(),
              true,
              null);
      LeafBatchWriter changes = new LeafBatchWriter(tree, checkedAtEveryStep(store, check), 32);
      for (int run = 0; run < 600; run++) {
        int from = random.nextInt(20_000);
        int count = random.nextInt(10) == 0 ? 200 : random.nextInt(10);
        for (int n = from; n < from + count; n++) {
          changing.add(n);
        }
        for (int n : changing) {
          near[0] = n;
          if (random.nextInt(8) == 0) {
            changes.remove(key(n));
            there.remove(n);
          } else {
            changes.put(key(n), record(run));
            there.add(n);
          }
        }
        changes.flush();
        changing.clear();
      }
      assertThat(there).hasSizeGreaterThan(3000); // inner nodes beside the root were split, too
    }
  }

  private static Store checkedAtEveryStep(Store store, Runnable check) {
    Set<String> steps = Set.of("put", "update");
    return (Store)
        Proxy.newProxyInstance(
            Store.class.getClassLoader(),
            new Class<?>[] {Store.class},
            (proxy, method, arguments) -> {
              try {
                Object result = method.invoke(store, arguments);
                if (steps.contains(method.getName())) {
                  check.run();
                }
                return result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
