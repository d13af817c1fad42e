package io.kvreactive.vector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvreactive.documents.spi.NeighborIndex;
import io.kvreactive.documents.spi.NeighborSpec;
import io.kvreactive.testing.Tries;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongPredicate;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares the structures in memory to an exact search of all vectors. */
class NeighborIndexTest {
  private static final int DIMENSIONS = 24;
  private static final LongPredicate ALL = NeighborIndex.ALL;

  private final VectorExtension extension = new VectorExtension();
  private RandomVectors vectors = RandomVectors.clustered(7, DIMENSIONS);
  private final Map<Long, float[]> stored = new TreeMap<>();

  private static NeighborSpec spec(String type, String distance) {
    return new NeighborSpec(type, DIMENSIONS, distance, null, null, false);
  }

  private static NeighborSpec sharded(String type, String distance) {
    return new NeighborSpec(type, DIMENSIONS, distance, null, null, true);
  }

  private NeighborIndex filled(NeighborSpec spec, int count) {
    for (long id = 1; id <= count; id++) {
      stored.put(id, vectors.next());
    }
    NeighborIndex index = extension.newNeighborIndex(spec, new ArrayList<>(stored.values()));
    stored.forEach((id, vector) -> index.put(id, id * 3, vector));
    return index;
  }

  /** Checks that searches find the vectors of the shards, together and alone. */
  private void checkShards(NeighborIndex index, String distance, Map<Long, Long> shards) {
    assertThat(index.ids().boxed()).containsExactlyInAnyOrderElementsOf(stored.keySet());
    assertThat(index.size()).isEqualTo(stored.size());
    assertThat(recall(index, distance, ALL)).isGreaterThan(0.97);
    Map<Long, Integer> sizes = new TreeMap<>();
    shards.values().forEach(shard -> sizes.merge(shard, 1, Integer::sum));
    long separate = sizes.keySet().stream().filter(index::isSeparate).count();
    assertThat(index.structures()).isEqualTo(1 + (int) separate);
    sizes.forEach(
        (shard, size) -> {
          if (size >= ShardedNeighbors.MIN_SEPARATE || size < ShardedNeighbors.MIN_KEPT) {
            assertThat(index.isSeparate(shard)).isEqualTo(size >= ShardedNeighbors.MIN_SEPARATE);
          }
          if (index.isSeparate(shard)) {
            int found = 0;
            for (int i = 0; i < 20; i++) {
              float[] vector = vectors.next();
              long[] ids = index.search(vector, 10, 50, new long[] {shard}, ALL);
              assertThat(LongStream.of(ids).allMatch(id -> shards.get(id).equals(shard))).isTrue();
              Set<Long> exact = closest(distance, vector, 10, id -> shards.get(id).equals(shard));
              found += (int) LongStream.of(ids).filter(exact::contains).count();
            }
            assertThat(found).isGreaterThan(190);
          }
        });
    assertThat(index.search(vectors.next(), 10, 50, new long[] {999}, ALL)).isNull();
  }

  /** Returns types and distances: in the short form each type. */
  static List<Arguments> moved() {
    List<Arguments> all =
        List.of(
            Arguments.of("diskANN", "dotproduct"),
            Arguments.of("quantizedFlat", "cosine"),
            Arguments.of("diskANN", "euclidean"),
            Arguments.of("quantizedFlat", "dotproduct"));
    return all.subList(0, Tries.of(2, all.size()));
  }

  @ParameterizedTest
  @MethodSource("moved")
  void movesShardsThatGrowAndShrink(String type, String distance) throws IOException {
    NeighborSpec spec = sharded(type, distance);
    for (long id = 1; id <= 1000; id++) {
      stored.put(id, vectors.next());
    }
    NeighborIndex index = extension.newNeighborIndex(spec, new ArrayList<>(stored.values()));
    stored.clear();
    Map<Long, Long> shards = new TreeMap<>();
    Random random = new Random(8);
    boolean wasSeparate = false;
    for (int round = 0; round < Tries.of(2, 4); round++) {
      for (int i = 0; i < 2500; i++) {
        long id = 1 + random.nextInt(2000);
        long large = round % 2; // grows in this round, while the other one shrinks
        if (random.nextInt(6) == 0) {
          index.remove(id);
          stored.remove(id);
          shards.remove(id);
        } else {
          float[] vector = vectors.next();
          long shard = random.nextInt(8) == 0 ? 2 + random.nextInt(300) : large;
          index.put(id, shard, id * 3, vector);
          stored.put(id, vector);
          shards.put(id, shard);
        }
      }
      checkShards(index, distance, shards);
      wasSeparate |= index.isSeparate(1);
      long before = index.memoryBytes();
      NeighborIndex loaded = loaded(spec, ByteBuffer.wrap(saved(index)));
      index.close();
      index = loaded;
      checkShards(index, distance, shards);
      assertThat(index.memoryBytes()).isLessThan(2 * before);
    }
    assertThat(wasSeparate).isTrue();
    for (long id : List.copyOf(stored.keySet())) {
      index.remove(id);
    }
    assertThat(index.structures()).isEqualTo(1);
    index.close();
  }

  @ParameterizedTest
  @CsvSource({"diskANN", "quantizedFlat"})
  void takesOneStructureForAllSmallShards(String type) {
    int count = Tries.of(2000, 4000);
    long unsharded;
    try (NeighborIndex index = filled(spec(type, "cosine"), count)) {
      unsharded = index.memoryBytes();
    }
    List<float[]> sample = new ArrayList<>(stored.values());
    try (NeighborIndex index = extension.newNeighborIndex(sharded(type, "cosine"), sample)) {
      stored.forEach((id, vector) -> index.put(id, id % (count / 2), id, vector));
      assertThat(index.structures()).isEqualTo(1);
      assertThat(index.memoryBytes()).isLessThan(unsharded + count * 150L);
      assertThat(recall(index, "cosine", ALL)).isGreaterThan(0.97);
    }
  }

  private static double closeness(String distance, float[] a, float[] b) {
    double dot = 0;
    double squares = 0;
    double squareA = 0;
    double squareB = 0;
    for (int i = 0; i < a.length; i++) {
      dot += a[i] * b[i];
      squares += (a[i] - b[i]) * (a[i] - b[i]);
      squareA += a[i] * a[i];
      squareB += b[i] * b[i];
    }
    return switch (distance) {
      case "cosine" -> dot / Math.sqrt(squareA * squareB);
      case "dotproduct" -> dot;
      default -> -squares;
    };
  }

  private record Near(long id, double closeness) {}

  private Set<Long> closest(String distance, float[] vector, int count, LongPredicate accepted) {
    PriorityQueue<Near> closest = // the farthest of them first
        new PriorityQueue<>(Comparator.comparingDouble(Near::closeness));
    stored.forEach(
        (id, each) -> {
          if (accepted.test(id)) {
            double closeness = closeness(distance, each, vector);
            if (closest.size() < count || closeness > closest.element().closeness()) {
              closest.add(new Near(id, closeness));
            }
            if (closest.size() > count) {
              closest.remove();
            }
          }
        });
    return closest.stream().map(Near::id).collect(Collectors.toSet());
  }

  /** Returns the share of the ten closest vectors that the candidates contain. */
  private double recall(NeighborIndex index, String distance, LongPredicate accepted) {
    int found = 0;
    int all = 0;
    for (int i = 0; i < 50; i++) {
      float[] vector = vectors.next();
      Set<Long> exact = closest(distance, vector, 10, accepted);
      long[] candidates = index.search(vector, 10, 50, accepted);
      assertThat(candidates).doesNotHaveDuplicates().hasSizeLessThanOrEqualTo(50);
      assertThat(LongStream.of(candidates).allMatch(accepted)).isTrue();
      all += exact.size();
      found += (int) LongStream.of(candidates).filter(exact::contains).count();
    }
    return (double) found / all;
  }

  /** Returns types and distances: in the short form those that other tests do not have. */
  static List<Arguments> indexes() {
    List<Arguments> all =
        List.of(
            Arguments.of("diskANN", "cosine"),
            Arguments.of("quantizedFlat", "dotproduct"),
            Arguments.of("diskANN", "dotproduct"),
            Arguments.of("diskANN", "euclidean"),
            Arguments.of("quantizedFlat", "cosine"),
            Arguments.of("quantizedFlat", "euclidean"));
    return all.subList(0, Tries.of(2, all.size()));
  }

  @ParameterizedTest
  @MethodSource("indexes")
  void findsTheClosest(String type, String distance) {
    int count = Tries.of(2000, 3000);
    try (NeighborIndex index = filled(spec(type, distance), count)) {
      assertThat(recall(index, distance, ALL)).isGreaterThan(0.97);
      assertThat(recall(index, distance, id -> id % 20 == 3)).isGreaterThan(0.97);
      assertThat(index.search(vectors.next(), 10, 50, id -> false)).isEmpty();
      assertThat(index.size()).isEqualTo(count);
      assertThat(index.stamp(17)).isEqualTo(51);
      assertThat(index.stamp(count + 1)).isNull();
    }
  }

  static List<String> distances() {
    return List.of("euclidean", "cosine", "dotproduct").subList(0, Tries.of(1, 3));
  }

  @ParameterizedTest
  @MethodSource("distances")
  void findsTheClosestOfVectorsWithoutClusters(String distance) {
    vectors = RandomVectors.uniform(5, DIMENSIONS);
    int count = Tries.of(1500, 3000);
    try (NeighborIndex index = filled(spec("diskANN", distance), count)) {
      assertThat(recall(index, distance, ALL)).isGreaterThan(0.97);
      assertThat(recall(index, distance, id -> id % 20 == 3)).isGreaterThan(0.97);
      assertThat(recall(index, distance, id -> id % 2 == 1)).isGreaterThan(0.97);
      assertThat(index.search(vectors.next(), 10, 50, id -> id == 7)).containsExactly(7);
      assertThat(index.search(vectors.next(), 10, 50, id -> false)).isEmpty();
      for (long id = 1; id <= count / 2; id++) {
        index.remove(id);
        stored.remove(id);
      }
      assertThat(recall(index, distance, ALL)).isGreaterThan(0.97);
      index.tidy();
      for (long id = count + 1000;
          id <= count + 1000 + count / 3;
          id++) { // at ordinals that others had
        stored.put(id, vectors.next());
        index.put(id, id * 3, stored.get(id));
      }
      assertThat(recall(index, distance, ALL)).isGreaterThan(0.97);
    }
  }

  @Test
  void knowsTheCostOfTheNextSearch() {
    int count = Tries.of(5000, 8000);
    int all = count * DIMENSIONS;
    try (NeighborIndex index = filled(spec("diskANN", "euclidean"), count)) {
      assertThat(index.searchCost()).isEqualTo(all); // no search yet
      index.search(vectors.next(), 10, 10, ALL);
      assertThat(index.searchCost()).isPositive().isLessThan(all);
    }
    stored.clear();
    vectors = RandomVectors.uniform(5, DIMENSIONS);
    try (NeighborIndex index = filled(spec("diskANN", "euclidean"), 1000)) {
      index.search(vectors.next(), 10, 10, ALL);
      assertThat(index.searchCost()).isEqualTo(1000 * DIMENSIONS); // completed by a scan
    }
    try (NeighborIndex index = filled(spec("quantizedFlat", "euclidean"), 1000)) {
      index.search(vectors.next(), 10, 10, ALL);
      assertThat(index.searchCost()).isEqualTo(1000 * DIMENSIONS);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "diskANN, euclidean, 1000", // searched by scans of codes
    "diskANN, euclidean, 5000", // searched in the graph
    "quantizedFlat, cosine, 1000"
  })
  void followsChanges(String type, String distance, int count) throws IOException {
    NeighborSpec spec = spec(type, distance);
    Random random = new Random(3);
    NeighborIndex index = filled(spec, count);
    for (int round = 0; round < Tries.of(2, 4); round++) {
      for (int i = 0; i < 500; i++) {
        long id = 1 + random.nextInt(count + 500);
        if (random.nextInt(3) == 0) {
          index.remove(id);
          stored.remove(id);
        } else {
          float[] vector = vectors.next();
          index.put(id, id * 3, vector);
          stored.put(id, vector);
        }
      }
      assertThat(index.ids().boxed()).containsExactlyInAnyOrderElementsOf(stored.keySet());
      assertThat(recall(index, distance, ALL)).isGreaterThan(0.97);
      index.tidy();
      assertThat(recall(index, distance, ALL)).isGreaterThan(0.97);
      NeighborIndex loaded = loaded(spec, ByteBuffer.wrap(saved(index)));
      index.close();
      index = loaded;
      assertThat(index.ids().boxed()).containsExactlyInAnyOrderElementsOf(stored.keySet());
      assertThat(index.stamp(stored.keySet().iterator().next())).isNotNull();
      assertThat(recall(index, distance, ALL)).isGreaterThan(0.97);
    }
    for (long id : List.copyOf(stored.keySet())) {
      index.remove(id);
    }
    assertThat(index.search(vectors.next(), 10, 50, ALL)).isEmpty();
    NeighborIndex empty = loaded(spec, ByteBuffer.wrap(saved(index)));
    index.close();
    assertThat(empty.size()).isZero();
    empty.put(5, 1, vectors.next());
    assertThat(empty.search(vectors.next(), 10, 50, ALL)).containsExactly(5);
    empty.close();
  }

  private NeighborIndex loaded(NeighborSpec spec, ByteBuffer saved) throws IOException {
    NeighborIndex index = extension.loadNeighborIndex(spec, saved);
    if (index.needsVectors()) {
      index.ids().forEach(id -> index.restore(id, stored.get(id)));
      index.restored();
    }
    return index;
  }

  private static byte[] saved(NeighborIndex index) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    index.save(new DataOutputStream(bytes));
    return bytes.toByteArray();
  }

  @ParameterizedTest
  @ValueSource(strings = {"diskANN", "quantizedFlat"})
  void findsNothingAfterAllWereRemoved(String type) {
    try (NeighborIndex index = filled(spec(type, "euclidean"), 600)) {
      index.search(vectors.next(), 10, 10, ALL);
      stored.keySet().forEach(index::remove);
      index.tidy();
      assertThat(index.search(vectors.next(), 10, 10, ALL)).isEmpty();
      float[] vector = vectors.next();
      index.put(7, 1, vector);
      assertThat(index.search(vector, 10, 10, ALL)).containsExactly(7);
    }
  }

  @ParameterizedTest
  @CsvSource({"diskANN, false", "quantizedFlat, false", "diskANN, true", "quantizedFlat, true"})
  void rejectsTruncatedOrForeignData(String type, boolean isSharded) throws IOException {
    NeighborSpec spec = isSharded ? sharded(type, "cosine") : spec(type, "cosine");
    NeighborSpec other = isSharded ? spec(type, "cosine") : sharded(type, "cosine");
    byte[] saved;
    try (NeighborIndex index = filled(spec, 300)) {
      saved = saved(index);
    }
    for (int length = 0; length < saved.length; length += 1 + saved.length / 50) {
      ByteBuffer part = ByteBuffer.wrap(saved, 0, length).slice();
      assertThatThrownBy(() -> loaded(spec, part)).isInstanceOf(IOException.class);
    }
    assertThatThrownBy(() -> loaded(spec(type, "euclidean"), ByteBuffer.wrap(saved)))
        .isInstanceOf(IOException.class);
    assertThatThrownBy(() -> loaded(other, ByteBuffer.wrap(saved))).isInstanceOf(IOException.class);
  }
}
