package io.kvreactive.vector;

import io.github.jbellis.jvector.graph.NodeQueue;
import io.github.jbellis.jvector.graph.similarity.ScoreFunction;
import io.github.jbellis.jvector.util.BoundedLongHeap;
import io.kvreactive.index.spi.NeighborIndex;
import java.io.DataOutput;
import java.io.IOException;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** A neighbor index of the type quantizedFlat: each search scans all compressed vectors. */
final class CompressedScan implements NeighborIndex {
  private final CompressedVectors codes;

  CompressedScan(CompressedVectors codes) {
    this.codes = codes;
  }

  @Override
  public void put(long id, long stamp, float[] vector) {
    remove(id);
    codes.add(id, stamp, codes.indexed(vector));
  }

  @Override
  public void remove(long id) {
    int ordinal = codes.ordinals().take(id);
    if (ordinal >= 0) {
      codes.ordinals().free(ordinal);
    }
  }

  @Override
  public @Nullable Long stamp(long id) {
    return codes.ordinals().stamp(id);
  }

  @Override
  public LongStream ids() {
    return codes.ordinals().ids();
  }

  @Override
  public int size() {
    return codes.ordinals().size();
  }

  @Override
  public long memoryBytes() {
    return codes.memoryBytes();
  }

  @Override
  public long[] search(float[] vector, int first, int wanted, LongPredicate accepted) {
    ScoreFunction scores = codes.scores(vector);
    NodeQueue closest = new NodeQueue(new BoundedLongHeap(wanted), NodeQueue.Order.MIN_HEAP);
    int limit = codes.ordinals().limit();
    for (int ordinal = 0; ordinal < limit; ordinal++) {
      long id = codes.ordinals().id(ordinal);
      if (id == 0) {
        continue;
      }
      float score = scores.similarityTo(ordinal);
      if ((closest.size() < wanted || score > closest.topScore()) && accepted.test(id)) {
        closest.push(ordinal, score);
      }
    }
    long[] found = new long[closest.size()];
    for (int i = found.length - 1; i >= 0; i--) {
      found[i] = codes.ordinals().id(closest.pop());
    }
    return found;
  }

  @Override
  public boolean isExact() {
    return false;
  }

  @Override
  public float @Nullable [] vector(long id) {
    return null;
  }

  @Override
  public void tidy() {
    // freed ordinals can be reused at once
  }

  @Override
  public void save(DataOutput out) throws IOException {
    codes.save(out);
  }

  @Override
  public void close() {
    // holds heap memory only
  }
}
