package io.kvreactive.vector;

import io.github.jbellis.jvector.graph.NodeQueue;
import io.github.jbellis.jvector.graph.similarity.ScoreFunction;
import io.github.jbellis.jvector.util.BoundedLongHeap;
import io.github.jbellis.jvector.vector.types.VectorFloat;
import java.io.DataOutput;
import java.util.PriorityQueue;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/** A neighbor index of the type quantizedFlat: each search scans all compressed vectors. */
final class CompressedScan implements ShardStructure {
  private final CompressedVectors codes;

  CompressedScan(CompressedVectors codes) {
    this.codes = codes;
  }

  @Override
  public CompressedVectors vectors() {
    return codes;
  }

  @Override
  public void add(long id, long stamp, VectorFloat<?> indexed) {
    codes.add(id, stamp, indexed);
  }

  @Override
  public void removeAll(long[] ids) {
    for (long id : ids) {
      int ordinal = codes.ordinals().take(id);
      if (ordinal >= 0) {
        codes.ordinals().free(ordinal);
      }
    }
  }

  @Override
  public long memoryBytes() {
    return codes.memoryBytes();
  }

  @Override
  public Found find(
      float[] vector, int first, int wanted, LongPredicate accepted, PriorityQueue<Float> best) {
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
    Found found = Found.of(closest.size());
    for (int i = found.ids().length - 1; i >= 0; i--) {
      found.scores()[i] = closest.topScore();
      found.ids()[i] = codes.ordinals().id(closest.pop());
    }
    return found;
  }

  @Override
  public long searchCost() {
    return (long) codes.ordinals().limit() * codes.dimensions();
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
  public void saveEdges(DataOutput out) {
    // there are none
  }

  @Override
  public void close() {
    // holds heap memory only
  }
}
