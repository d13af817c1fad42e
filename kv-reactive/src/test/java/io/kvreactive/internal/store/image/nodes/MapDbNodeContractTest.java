package io.kvreactive.internal.store.image.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.KvValue;
import io.kvreactive.internal.store.image.Pager;
import io.kvreactive.testing.Tries;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mapdb.BTreeMap;
import org.mapdb.DB;
import org.mapdb.DBMaker;
import org.mapdb.DataOutput2;
import org.mapdb.Serializer;
import org.mapdb.Store;

/**
 * The contract with MapDB: it reads, verifies and changes the trees of this package, and this
 * package reads and changes the trees of MapDB. Both write a node as the same bytes.
 */
class MapDbNodeContractTest {
  private static final ImageRecord.KeyCodec KEYS = new ImageRecord.KeyCodec();
  private static final ImageRecord.Codec VALUES = new ImageRecord.Codec();
  private static final byte[] BEHIND = {(byte) 0xFF, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF, 0};

  private static byte[] key(int n) {
    return ByteBuffer.allocate(4).putInt(n).array();
  }

  private static ImageRecord record(long version) {
    return new ImageRecord(version, 0, KvValue.Encoding.BYTES, new byte[3], 0);
  }

  /** A tree with small nodes, and its expected contents. */
  private static final class Grown {
    final int size;
    final DB db = DBMaker.volumeDB(new Pager(null), false).make();
    final TreeMap<Integer, Long> expected = new TreeMap<>();
    BTreeMap<byte[], ImageRecord> tree;
    LeafBatchWriter changes;

    Grown(int size) {
      this.size = size;
      reopen();
    }

    /** Drops the node cache of MapDB's tree. */
    void reopen() {
      long root =
          db.treeMap("t", KEYS, VALUES).maxNodeSize(size).createOrOpen().getRootRecidRecid();
      tree =
          new BTreeMap<>(KEYS, VALUES, root, db.getStore(), true, size, KEYS, false, 0, true, null);
      changes = new LeafBatchWriter(tree, db.getStore(), size);
    }

    ImageReader reader() {
      return new ImageReader(new NodeCache(db.getStore(), 16), tree.getRootRecidRecid());
    }

    void put(int n, long version) {
      ImageRecord old = changes.put(key(n), record(version));
      Long before = expected.put(n, version);
      assertThat(old == null ? null : old.version()).isEqualTo(before);
    }

    void remove(int n) {
      ImageRecord old = changes.remove(key(n));
      Long before = expected.remove(n);
      assertThat(old == null ? null : old.version()).isEqualTo(before);
    }

    void check() {
      changes.flush();
      reopen();
      tree.verify();
      assertThat(all(tree.entryIterator())).isEqualTo(expected);
      assertThat(
              all(
                  new DescendingRecords(
                      db.getStore(), tree.getRootRecidRecid(), new byte[0], BEHIND)))
          .isEqualTo(expected);
      ImageReader reader = reader();
      assertThat(all(reader.range(new byte[0], BEHIND))).isEqualTo(expected);
      expected.forEach(
          (n, version) -> {
            assertThat(versionOf(tree, n)).isEqualTo(version);
            assertThat(reader.find(key(n)).version()).isEqualTo(version);
            assertThat(reader.find(key(n + 1)) != null).isEqualTo(expected.containsKey(n + 1));
          });
    }
  }

  private static Long versionOf(BTreeMap<byte[], ImageRecord> tree, int n) {
    ImageRecord found = tree.get(key(n));
    assertThat(found).as("key %s", n).isNotNull();
    return found.version();
  }

  private static TreeMap<Integer, Long> all(Iterator<Map.Entry<byte[], ImageRecord>> entries) {
    TreeMap<Integer, Long> all = new TreeMap<>();
    entries.forEachRemaining(
        e -> all.put(ByteBuffer.wrap(e.getKey()).getInt(), e.getValue().version()));
    return all;
  }

  /** Asserts that MapDB and this package read the same nodes and write the same bytes. */
  private static void assertSameBytes(Grown grown) throws Exception {
    Store store = grown.db.getStore();
    Serializer<Object> mapDb = nodeSerializer(grown.tree);
    Set<Long> recids = new TreeSet<>();
    for (int n : grown.expected.keySet()) {
      LeafFinder finder = new LeafFinder(store, grown.tree.getRootRecidRecid());
      recids.add(finder.find(key(n)).recid());
      for (var above = finder.up(); above != null; above = finder.up()) {
        recids.add(above.recid());
      }
    }
    assertThat(recids).hasSizeGreaterThan(10);
    for (long recid : recids) {
      byte[] stored = store.get(recid, Serializer.BYTE_ARRAY_NOSIZE);
      assertThat(bytes(store.get(recid, ImageNode.FORM), ImageNode.FORM)).isEqualTo(stored);
      assertThat(bytes(store.get(recid, mapDb), mapDb)).isEqualTo(stored);
    }
  }

  @SuppressWarnings("unchecked") // the type of nodes is private to MapDB
  private static Serializer<Object> nodeSerializer(BTreeMap<byte[], ImageRecord> tree)
      throws Exception {
    var field = BTreeMap.class.getDeclaredField("nodeSerializer");
    field.setAccessible(true);
    return (Serializer<Object>) field.get(tree);
  }

  private static <N> byte[] bytes(N node, Serializer<N> serializer) throws IOException {
    DataOutput2 out = new DataOutput2();
    serializer.serialize(out, node);
    return out.copyBytes();
  }

  @ParameterizedTest
  @ValueSource(ints = {6, 7, 32})
  void readsTheTreeOfMapDb(int size) throws Exception {
    Grown grown = new Grown(size);
    Random random = new Random(size);
    for (int i = 0; i < 2000; i++) {
      int n = random.nextInt(3000);
      if (random.nextInt(10) == 0) {
        grown.tree.remove(key(n));
        grown.expected.remove(n);
      } else {
        grown.tree.put(key(n), record(i));
        grown.expected.put(n, (long) i);
      }
    }
    assertSameBytes(grown);
    for (int n = 0; n < 3000; n++) {
      Long version = grown.expected.get(n);
      LeafNode leaf =
          new LeafFinder(grown.db.getStore(), grown.tree.getRootRecidRecid()).find(key(n)).leaf();
      int found = KEYS.valueArraySearch(leaf.keys(), key(n));
      boolean isThere = found >= leaf.first() && found <= leaf.last();
      assertThat(isThere).isEqualTo(version != null);
      if (version != null) {
        assertThat(VALUES.valueArrayGet(leaf.values(), found - leaf.first()).version())
            .isEqualTo(version);
      }
    }
    grown.check();
  }

  @ParameterizedTest
  @ValueSource(ints = {6, 7, 8, 15, 32})
  void growsATreeThatMapDbReads(int size) throws Exception {
    Grown grown = new Grown(size);
    Random random = new Random(size);
    for (long version = 1; version <= Tries.of(40, 150); version++) {
      int from = random.nextInt(3000);
      int count = random.nextInt(random.nextInt(10) == 0 ? 1500 : 60);
      NavigableSet<Integer> keys = new TreeSet<>();
      boolean run = random.nextBoolean();
      for (int i = 0; i < count; i++) {
        keys.add(run ? from + i : random.nextInt(3000));
      }
      int removedOf10 = random.nextInt(4);
      for (int n : keys) {
        if (random.nextInt(10) < removedOf10) {
          grown.remove(n);
        } else {
          grown.put(n, version);
        }
      }
      grown.check();
    }
    assertSameBytes(grown);
  }

  /** In images of earlier versions, MapDB has split all nodes. */
  @ParameterizedTest
  @ValueSource(ints = {6, 32})
  void splitsTheSameTreeAlternatelyWithMapDb(int size) {
    Grown grown = new Grown(size);
    Random random = new Random(size);
    for (long version = 1; version <= Tries.of(15, 60); version++) {
      int from = random.nextInt(5000);
      for (int n = from; n < from + 200; n += 1 + random.nextInt(3)) {
        grown.put(n, version);
      }
      grown.check();
      for (int i = 0; i < 200; i++) {
        int n = random.nextInt(5000);
        grown.tree.put(key(n), record(version));
        grown.expected.put(n, version);
      }
      grown.check();
    }
  }

  /** Concurrent readers find all keys that exist before and after the change. */
  @Test
  void showsExistingKeysToConcurrentReaders() throws Exception {
    Grown grown = new Grown(6);
    for (int n = 0; n < 40_000; n += 100) {
      grown.put(n, 1);
    }
    grown.check();
    AtomicBoolean over = new AtomicBoolean();
    CompletableFuture<Integer> reader =
        CompletableFuture.supplyAsync(
            () -> {
              int rounds = 0;
              ImageReader stale = grown.reader(); // its cache does not learn of changes
              do {
                TreeMap<Integer, Long> forward = all(grown.tree.entryIterator());
                TreeMap<Integer, Long> ascending = all(stale.range(new byte[0], BEHIND));
                TreeMap<Integer, Long> backward =
                    all(
                        new DescendingRecords(
                            grown.db.getStore(),
                            grown.tree.getRootRecidRecid(),
                            new byte[0],
                            BEHIND));
                for (int n = 0; n < 40_000; n += 100) {
                  assertThat(versionOf(grown.tree, n)).isEqualTo(1);
                  assertThat(stale.find(key(n)).version()).isEqualTo(1);
                  assertThat(forward).containsKey(n);
                  assertThat(ascending).containsKey(n);
                  assertThat(backward).containsKey(n);
                }
                rounds++;
              } while (!over.get());
              return rounds;
            });
    Random random = new Random(7);
    for (int run = 0; run < 200; run++) {
      int from = random.nextInt(400) * 100 + 1;
      for (int n = from; n < from + 99; n++) {
        grown.put(n, 2);
      }
      grown.changes.flush();
    }
    over.set(true);
    assertThat(reader.get()).isPositive();
    grown.check();
  }
}
