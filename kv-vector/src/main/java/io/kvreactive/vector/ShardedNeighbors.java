package io.kvreactive.vector;

import io.github.jbellis.jvector.disk.RandomAccessReader;
import io.github.jbellis.jvector.vector.types.VectorFloat;
import io.kvreactive.documents.spi.NeighborIndex;
import io.kvreactive.documents.spi.NeighborSpec;
import io.kvreactive.vector.ShardStructure.Found;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;
import org.agrona.collections.Long2LongHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A neighbor index with shards. A shard of at least {@value #MIN_SEPARATE} vectors has a structure
 * of its own. All smaller shards share one structure, so that many of them cost neither a graph nor
 * a code book each. The vectors of all structures have the same form, and the same code book if
 * they are compressed. Therefore a growing shard takes its vectors along, and scores of different
 * structures are comparable.
 *
 * <p>A shard moves to another structure in two steps, between which its vectors are in both. A
 * search during a move is repeated.
 */
final class ShardedNeighbors implements NeighborIndex {
  /** Number of vectors from which a shard has a structure of its own. */
  static final int MIN_SEPARATE = 1000;

  /** Number of vectors below which a shard loses its own structure. */
  static final int MIN_KEPT = MIN_SEPARATE / 2;

  private static final int FORMAT = 0x4b564e53; // KVNS
  private static final long NONE = -1;

  /** Estimated memory of an empty structure in bytes. */
  private static final int STRUCTURE_BYTES = 32 << 10;

  private final NeighborSpec spec;
  private final ForkJoinPool pool = new ForkJoinPool(1);
  private final ShardStructure common; // of all small shards
  private final Map<Long, ShardStructure> separate = new ConcurrentHashMap<>(); // by shard
  private final Long2LongHashMap shards = new Long2LongHashMap(NONE); // by id
  private final Long2LongHashMap sizes = new Long2LongHashMap(0); // of the small shards
  private final AtomicInteger moves = new AtomicInteger();
  private List<ShardStructure> loaded = List.of(); // to be restored, in this order

  /**
   * Creates an empty index.
   *
   * @param vectors an empty set of vectors
   */
  ShardedNeighbors(NeighborSpec spec, IndexedVectors vectors) {
    this(spec, VectorExtension.empty(spec, vectors, null));
  }

  private ShardedNeighbors(NeighborSpec spec, ShardStructure common) {
    this.spec = spec;
    this.common = common;
  }

  // ---- changes

  @Override
  public void put(long id, long stamp, float[] vector) {
    put(id, 0, stamp, vector);
  }

  @Override
  public void put(long id, long shard, long stamp, float[] vector) {
    long former = take(id);
    VectorFloat<?> indexed = common.vectors().indexed(vector);
    shards.put(id, shard);
    ShardStructure own = separate.get(shard);
    if (own != null) {
      own.add(id, stamp, indexed);
    } else {
      common.add(id, stamp, indexed);
      long size = sizes.get(shard) + 1;
      sizes.put(shard, size);
      if (size >= MIN_SEPARATE) {
        separate(shard);
      }
    }
    if (former != shard) {
      shrunk(former);
    }
  }

  @Override
  public void remove(long id) {
    shrunk(take(id));
  }

  /** Removes the vector of an id, and returns its shard or {@link #NONE}. */
  private long take(long id) {
    long shard = shards.remove(id);
    ShardStructure own = separate.get(shard);
    if (own != null) {
      own.remove(id);
    } else if (shard != NONE) {
      common.remove(id);
      leave(shard);
    }
    return shard;
  }

  private void leave(long shard) {
    long size = sizes.get(shard) - 1;
    if (size > 0) {
      sizes.put(shard, size);
    } else {
      sizes.remove(shard);
    }
  }

  /** Moves the vectors of a shard to a structure of its own. */
  private void separate(long shard) {
    ShardStructure own = VectorExtension.empty(spec, common.vectors().empty(), pool);
    long[] ids = common.ids().filter(id -> shards.get(id) == shard).toArray();
    copy(ids, common, own);
    separate.put(shard, own);
    moves.incrementAndGet();
    common.removeAll(ids);
    sizes.remove(shard);
  }

  /** Moves the vectors of a shard back to the common structure if only few are left. */
  private void shrunk(long shard) {
    ShardStructure own = separate.get(shard);
    if (own != null && own.size() < MIN_KEPT) {
      long[] ids = own.ids().toArray();
      copy(ids, own, common);
      if (ids.length > 0) {
        sizes.put(shard, ids.length);
      }
      moves.incrementAndGet();
      separate.remove(shard);
      own.close();
    }
  }

  private static void copy(long[] ids, ShardStructure from, ShardStructure to) {
    for (long id : ids) {
      long stamp = Objects.requireNonNull(from.stamp(id));
      to.add(id, stamp, from.vectors().at(from.vectors().ordinals().of(id)));
    }
  }

  // ---- contents

  private ShardStructure structureOf(long id) {
    return separate.getOrDefault(shards.get(id), common);
  }

  @Override
  public @Nullable Long stamp(long id) {
    return structureOf(id).stamp(id);
  }

  @Override
  public LongStream ids() {
    return all().stream().flatMapToLong(ShardStructure::ids);
  }

  @Override
  public int size() {
    return shards.size();
  }

  @Override
  public long memoryBytes() {
    long maps = 2L * Long.BYTES * (shards.capacity() + sizes.capacity());
    return all().stream().mapToLong(each -> each.memoryBytes() + STRUCTURE_BYTES).sum() + maps;
  }

  @Override
  public boolean isSeparate(long shard) {
    return separate.containsKey(shard);
  }

  @Override
  public int structures() {
    return separate.size() + 1;
  }

  /** Returns all structures, the common one last: a shard is copied before it leaves that one. */
  private List<ShardStructure> all() {
    List<ShardStructure> all = new ArrayList<>(separate.values());
    all.add(common);
    return all;
  }

  @Override
  public long searchCost() {
    return all().stream().mapToLong(ShardStructure::searchCost).sum();
  }

  @Override
  public boolean isExact() {
    return common.isExact();
  }

  @Override
  public float @Nullable [] vector(long id) {
    return structureOf(id).vector(id);
  }

  // ---- searches

  /** A result of one of the structures. */
  private record Near(long id, float score) {}

  @Override
  public long[] search(float[] vector, int first, int wanted, LongPredicate accepted) {
    while (true) {
      int before = moves.get();
      long[] found = search(all(), vector, first, wanted, accepted);
      if (moves.get() == before) {
        return found;
      }
    }
  }

  @Override
  public long @Nullable [] search(
      float[] vector, int first, int wanted, long[] wantedShards, LongPredicate accepted) {
    List<ShardStructure> searched = new ArrayList<>();
    for (long shard : wantedShards) {
      ShardStructure own = separate.get(shard);
      if (own == null) {
        return null;
      }
      searched.add(own);
    }
    return search(searched, vector, first, wanted, accepted);
  }

  private static long[] search(
      List<ShardStructure> searched,
      float[] vector,
      int first,
      int wanted,
      LongPredicate accepted) {
    if (searched.size() == 1) {
      return searched.get(0).search(vector, first, wanted, accepted);
    }
    List<Near> all = new ArrayList<>();
    PriorityQueue<Float> best = new PriorityQueue<>();
    for (ShardStructure each : searched) {
      Found found = each.find(vector, first, wanted, accepted, best);
      for (int i = 0; i < found.ids().length; i++) {
        all.add(new Near(found.ids()[i], found.scores()[i]));
      }
    }
    all.sort(Comparator.comparing(Near::score).reversed());
    return all.stream().mapToLong(Near::id).distinct().limit(wanted).toArray();
  }

  // ---- saved form

  @Override
  public boolean check(int count) {
    boolean isDue = false;
    for (ShardStructure each : all()) {
      isDue |= each.check(count);
    }
    return isDue;
  }

  @Override
  public void tidy() {
    all().forEach(ShardStructure::tidy);
  }

  /**
   * {@inheritDoc}
   *
   * <p>The form of all vectors is followed by the vectors of all structures, and then by the edges
   * of all structures. The common structure is the first.
   */
  @Override
  public void save(DataOutput out) throws IOException {
    tidy();
    out.writeInt(FORMAT);
    common.vectors().saveForm(out);
    common.vectors().saveVectors(out);
    for (long id : common.ids().toArray()) {
      out.writeLong(shards.get(id));
    }
    Map<Long, ShardStructure> sorted = new TreeMap<>(separate);
    out.writeInt(sorted.size());
    for (Map.Entry<Long, ShardStructure> each : sorted.entrySet()) {
      out.writeLong(each.getKey());
      each.getValue().vectors().saveVectors(out);
    }
    common.saveEdges(out);
    for (ShardStructure each : sorted.values()) {
      each.saveEdges(out);
    }
  }

  /** Reads a saved index. */
  static ShardedNeighbors load(NeighborSpec spec, RandomAccessReader in) throws IOException {
    int format = in.readInt();
    if (format != FORMAT) {
      throw new IOException("another format: " + format);
    }
    IndexedVectors small = IndexedVectors.loadForm(spec, in);
    small.loadVectors(in);
    long[] ids = small.ordinals().ids().toArray();
    long[] shardOf = new long[ids.length];
    in.readFully(shardOf);
    int count = in.readInt();
    Map<Long, IndexedVectors> large = new TreeMap<>();
    for (int i = 0; i < count; i++) {
      long shard = in.readLong();
      IndexedVectors vectors = small.empty();
      vectors.loadVectors(in);
      large.put(shard, vectors);
    }
    ShardedNeighbors loadedShards =
        new ShardedNeighbors(spec, VectorExtension.load(spec, small, null, in));
    try {
      loadedShards.loaded = new ArrayList<>(List.of(loadedShards.common));
      for (int i = 0; i < ids.length; i++) {
        loadedShards.shards.put(ids[i], shardOf[i]);
        loadedShards.sizes.put(shardOf[i], loadedShards.sizes.get(shardOf[i]) + 1);
      }
      for (Map.Entry<Long, IndexedVectors> each : large.entrySet()) {
        ShardStructure own = VectorExtension.load(spec, each.getValue(), loadedShards.pool, in);
        loadedShards.separate.put(each.getKey(), own);
        loadedShards.loaded.add(own);
        long shard = each.getKey();
        own.ids().forEach(id -> loadedShards.shards.put(id, shard));
      }
      return loadedShards;
    } catch (IOException | RuntimeException e) {
      loadedShards.close();
      throw e;
    }
  }

  @Override
  public boolean needsVectors() {
    return common.needsVectors();
  }

  @Override
  public void restore(long id, float[] vector) {
    structureOf(id).restore(id, vector);
  }

  @Override
  public void restored() throws IOException {
    for (ShardStructure each : loaded) {
      each.restored();
    }
    loaded = List.of();
    long[] gone =
        shards.keySet().stream()
            .mapToLong(Long::longValue)
            .filter(id -> stamp(id) == null)
            .toArray();
    for (long id : gone) {
      var unused = take(id);
    }
  }

  @Override
  public void close() {
    all().forEach(ShardStructure::close);
    pool.shutdown();
  }
}
