package io.kvreactive.internal.store.image.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.KvValue;
import io.kvreactive.internal.store.file.FileDisk;
import io.kvreactive.internal.store.image.Pager;
import io.kvreactive.internal.store.image.SortedImage;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mapdb.BTreeMap;
import org.mapdb.DB;
import org.mapdb.DBMaker;
import org.mapdb.Store;

/** Lookups and ranges in both directions, also while nodes are split under the reader. */
class ImageRangesTest {
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

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void returnsAllOldKeysInOrderDuringInsertions(boolean reverse) throws Exception {
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
      assertAllOldKeysAreThere(image, reverse);
    }
    assertThat(failure.get()).isNull();
  }

  private static void assertAllOldKeysAreThere(SortedImage image, boolean reverse) {
    Iterator<Map.Entry<byte[], ImageRecord>> records =
        image.range(new byte[0], new byte[] {(byte) 0xFF}, reverse);
    byte[] last = reverse ? new byte[] {(byte) 0xFF} : new byte[0];
    int old = 0;
    while (records.hasNext()) {
      Map.Entry<byte[], ImageRecord> next = records.next();
      assertThat(Arrays.compareUnsigned(next.getKey(), last) < 0).isEqualTo(reverse);
      last = next.getKey();
      old += next.getValue().version() == 1 ? 1 : 0;
    }
    assertThat(old).isEqualTo(OLD_KEYS);
  }

  @ParameterizedTest
  @ValueSource(ints = {16, 2000})
  void cachesInnerNodesUnlessTheyAreLarge(int keyLength) {
    try (DB db = DBMaker.volumeDB(new Pager(null), false).make()) {
      ImageRecord.KeyCodec codec = new ImageRecord.KeyCodec();
      BTreeMap<byte[], ImageRecord> tree =
          db.treeMap("data", codec, new ImageRecord.Codec()).maxNodeSize(32).createOrOpen();
      NodeCache nodes = new NodeCache(db.getStore(), 16);
      LeafBatchWriter writer = new LeafBatchWriter(tree, nodes, 32);
      for (int n = 0; n < 1500; n++) {
        writer.put(Arrays.copyOf(key(n), keyLength), record(n));
      }
      writer.flush();
      ImageReader reader = new ImageReader(nodes, tree.getRootRecidRecid());
      for (int n = 0; n < 1500; n++) {
        ImageRecord found = reader.find(Arrays.copyOf(key(n), keyLength));
        assertThat(found).isNotNull();
        assertThat(found.version()).isEqualTo(n);
      }
      long root = nodes.root(tree.getRootRecidRecid());
      ImageNode node = nodes.get(root, ImageNode.FORM);
      assertThat(node).isInstanceOf(InnerNode.class);
      boolean isLarge = node.keys().length() > NodeCache.MAX_BYTES;
      assertThat(isLarge).isEqualTo(keyLength == 2000);
      assertThat(nodes.cached(root) == null).isEqualTo(isLarge);
    }
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
      NodeCache store = new NodeCache(db.getStore(), 2); // most inner nodes are not cached
      ImageReader reader = new ImageReader(store, root);
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
            List<Integer> ascending = new ArrayList<>();
            reader
                .range(key(start), key(end))
                .forEachRemaining(record -> ascending.add(number(record.getKey())));
            ascending.removeAll(changing);
            Collections.reverse(ascending);
            assertThat(ascending).isEqualTo(expected);
            there.stream()
                .filter(n -> !changing.contains(n))
                .limit(3) // far from the split nodes, except for the root
                .forEach(n -> expected.add(n));
            for (int n : expected) {
              assertThat(made.get(key(n))).as("key %s", n).isNotNull();
              assertThat(reader.find(key(n))).as("key %s", n).isNotNull();
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

  /** Pages are read from memory before a checkpoint, and from the mapped file after it. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void readsTheSameFromFileAndMemory(long seed, @TempDir Path directory) throws Exception {
    Random random = new Random(seed);
    NavigableMap<byte[], byte[]> expected = new TreeMap<>(Arrays::compareUnsigned);
    try (SortedImage image = SortedImage.open(new FileDisk(), directory)) {
      for (int step = 0; step < 3000; step++) {
        byte[] key = new byte[1 + random.nextInt(40)];
        random.nextBytes(key);
        byte[] near = expected.ceilingKey(key);
        if (near != null && random.nextInt(3) > 0) {
          key = random.nextBoolean() ? near : Arrays.copyOf(near, near.length + 1);
        }
        if (random.nextInt(5) == 0) {
          image.remove(key);
          expected.remove(key);
        } else {
          byte[] value = new byte[random.nextInt(20) == 0 ? 5000 : random.nextInt(400)];
          random.nextBytes(value);
          image.put(key, step, new KvValue(KvValue.Encoding.BYTES, value), 0);
          expected.put(key, value);
        }
        if (random.nextInt(200) == 0) {
          image.checkpoint();
        }
        byte[] end = new byte[1 + random.nextInt(3)];
        random.nextBytes(end);
        assertThat(valueOf(image, key)).isEqualTo(expected.get(key));
        assertThat(valueOf(image, end)).isEqualTo(expected.get(end));
        byte[] start = new byte[] {(byte) Math.max(0, (end[0] & 0xFF) - 1)};
        assertSame(image, start, end, expected);
      }
      assertSame(image, new byte[0], new byte[] {-1, -1, -1, -1}, expected);
    }
  }

  private static byte[] valueOf(SortedImage image, byte[] key) {
    ImageRecord found = image.find(key);
    return found == null ? null : image.load(found).bytes();
  }

  private static void assertSame(
      SortedImage image, byte[] start, byte[] end, NavigableMap<byte[], byte[]> all) {
    List<byte[]> keys = new ArrayList<>();
    List<byte[]> values = new ArrayList<>();
    image
        .range(start, end, false)
        .forEachRemaining(
            record -> {
              keys.add(record.getKey());
              values.add(image.load(record.getValue()).bytes());
            });
    NavigableMap<byte[], byte[]> expected =
        Arrays.compareUnsigned(start, end) < 0
            ? all.subMap(start, true, end, false)
            : Collections.emptyNavigableMap();
    assertThat(keys).containsExactlyElementsOf(expected.keySet());
    assertThat(values).containsExactlyElementsOf(expected.values());
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
