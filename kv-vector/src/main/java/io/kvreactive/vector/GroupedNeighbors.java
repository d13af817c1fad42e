package io.kvreactive.vector;

import io.github.jbellis.jvector.graph.ImmutableGraphIndex.IntMarker;
import io.github.jbellis.jvector.graph.ImmutableGraphIndex.NeighborProcessor;
import io.github.jbellis.jvector.graph.NodesIterator;
import io.github.jbellis.jvector.graph.OnHeapGraphIndex;
import io.github.jbellis.jvector.graph.similarity.ScoreFunction;
import java.util.Arrays;

/**
 * The graph as one search sees it, which computes the scores of all new neighbors of a node
 * together. Results are those of JVector's view. Not thread-safe.
 */
final class GroupedNeighbors extends OnHeapGraphIndex.ConcurrentGraphIndexView {
  private int[] ordinals;
  private float[] scores;

  GroupedNeighbors(OnHeapGraphIndex graph) {
    graph.super();
    this.ordinals = new int[graph.maxDegree()];
    this.scores = new float[ordinals.length + GroupScores.GROUP - 1];
  }

  @Override
  public void processNeighbors(
      int level, int node, ScoreFunction function, IntMarker visited, NeighborProcessor processor) {
    if (!(function instanceof GroupScores group)) {
      super.processNeighbors(level, node, function, visited, processor);
      return;
    }
    int count = 0;
    for (NodesIterator neighbors = getNeighborsIterator(level, node); neighbors.hasNext(); ) {
      int neighbor = neighbors.nextInt();
      if (visited.mark(neighbor)) {
        if (count == ordinals.length) { // more than the degree until the builder removes edges
          ordinals = Arrays.copyOf(ordinals, 2 * count);
          scores = new float[ordinals.length + GroupScores.GROUP - 1];
        }
        ordinals[count++] = neighbor;
      }
    }
    group.similarities(ordinals, count, scores);
    for (int i = 0; i < count; i++) {
      processor.process(ordinals[i], scores[i]);
    }
  }
}
