package io.kvreactive.vector;

import io.github.jbellis.jvector.graph.ImmutableGraphIndex.IntMarker;
import io.github.jbellis.jvector.graph.ImmutableGraphIndex.NeighborProcessor;
import io.github.jbellis.jvector.graph.NodesIterator;
import io.github.jbellis.jvector.graph.OnHeapGraphIndex;
import io.github.jbellis.jvector.graph.similarity.ScoreFunction;
import java.util.Arrays;

/**
 * The graph as one search sees it: with {@linkplain BackEdges back edges} on the lowest level. A
 * node's new neighbors get their scores together. Not thread-safe.
 */
final class GroupedNeighbors extends OnHeapGraphIndex.ConcurrentGraphIndexView {
  private final BackEdges.View back;
  private int[] ordinals;
  private float[] scores;

  GroupedNeighbors(OnHeapGraphIndex graph, BackEdges.View back) {
    graph.super();
    this.back = back;
    this.ordinals = new int[graph.maxDegree()];
    this.scores = new float[ordinals.length + GroupScores.GROUP - 1];
  }

  @Override
  public void processNeighbors(
      int level, int node, ScoreFunction function, IntMarker visited, NeighborProcessor processor) {
    int count = 0;
    for (NodesIterator neighbors = getNeighborsIterator(level, node); neighbors.hasNext(); ) {
      int neighbor = neighbors.nextInt();
      if (visited.mark(neighbor)) {
        count = add(neighbor, count);
      }
    }
    if (level == 0) {
      for (int edge = back.first(node); edge != BackEdges.NONE; edge = back.next(edge)) {
        int neighbor = back.target(edge);
        if (visited.mark(neighbor)) {
          count = add(neighbor, count);
        }
      }
    }
    if (function instanceof GroupScores group) {
      group.similarities(ordinals, count, scores);
    } else {
      for (int i = 0; i < count; i++) {
        scores[i] = function.similarityTo(ordinals[i]);
      }
    }
    for (int i = 0; i < count; i++) {
      processor.process(ordinals[i], scores[i]);
    }
  }

  /** Adds a neighbor after so many others, and returns their number now. */
  private int add(int neighbor, int count) {
    if (count == ordinals.length) {
      ordinals = Arrays.copyOf(ordinals, 2 * count);
      scores = new float[ordinals.length + GroupScores.GROUP - 1];
    }
    ordinals[count] = neighbor;
    return count + 1;
  }
}
