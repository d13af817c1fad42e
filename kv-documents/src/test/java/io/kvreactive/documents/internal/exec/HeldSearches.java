package io.kvreactive.documents.internal.exec;

import io.kvreactive.documents.spi.IndexExtension;
import io.kvreactive.documents.spi.NeighborIndex;
import io.kvreactive.documents.spi.NeighborSpec;
import java.io.DataOutput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * A neighbor index of the type quantizedFlat that claims to have many vectors, and whose searches
 * take until the test releases them. The type is supported while an instance is open.
 */
final class HeldSearches implements NeighborIndex {
  private static final AtomicReference<@Nullable HeldSearches> OPEN = new AtomicReference<>();

  final AtomicInteger searches = new AtomicInteger(); // that have begun
  volatile CountDownLatch gate = new CountDownLatch(0);
  private final Map<Long, Long> stamps = new ConcurrentHashMap<>();
  private final Map<Long, float[]> vectors = new ConcurrentHashMap<>();

  private HeldSearches() {}

  static HeldSearches open() {
    HeldSearches opened = new HeldSearches();
    OPEN.set(opened);
    return opened;
  }

  /** Found by {@link java.util.ServiceLoader}. */
  public static final class Extension implements IndexExtension {
    /** Creates the extension. */
    public Extension() {}

    @Override
    public boolean supportsNeighborIndex(String type) {
      return OPEN.get() != null && type.equals("quantizedFlat");
    }

    @Override
    public NeighborIndex newNeighborIndex(NeighborSpec spec, List<float[]> sample) {
      HeldSearches opened = OPEN.get();
      return opened == null ? IndexExtension.super.newNeighborIndex(spec, sample) : opened;
    }

    @Override
    public NeighborIndex loadNeighborIndex(NeighborSpec spec, ByteBuffer saved) throws IOException {
      throw new IOException("nothing was saved");
    }
  }

  @Override
  public void put(long id, long stamp, float[] vector) {
    vectors.put(id, vector);
    stamps.put(id, stamp);
  }

  @Override
  public void remove(long id) {
    stamps.remove(id);
    vectors.remove(id);
  }

  @Override
  public @Nullable Long stamp(long id) {
    return stamps.get(id);
  }

  @Override
  public LongStream ids() {
    return stamps.keySet().stream().mapToLong(id -> id);
  }

  @Override
  public int size() {
    return 100_000_000;
  }

  @Override
  public long memoryBytes() {
    return 0;
  }

  @Override
  public long[] search(float[] vector, int first, int wanted, LongPredicate accepted) {
    searches.incrementAndGet();
    try {
      gate.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return ids().filter(accepted).sorted().limit(wanted).toArray();
  }

  @Override
  public long searchCost() {
    return size();
  }

  @Override
  public boolean isExact() {
    return true;
  }

  @Override
  public float @Nullable [] vector(long id) {
    return vectors.get(id);
  }

  @Override
  public void tidy() {
    // nothing to compact
  }

  @Override
  public void save(DataOutput out) {
    // the test does not open the store again
  }

  @Override
  public void close() {
    gate.countDown();
    OPEN.compareAndSet(this, null);
  }
}
