package io.kvreactive.bench.vector;

import io.github.jbellis.jvector.graph.GraphIndexBuilder;
import io.github.jbellis.jvector.graph.GraphSearcher;
import io.github.jbellis.jvector.graph.ListRandomAccessVectorValues;
import io.github.jbellis.jvector.graph.SearchResult.NodeScore;
import io.github.jbellis.jvector.graph.similarity.BuildScoreProvider;
import io.github.jbellis.jvector.graph.similarity.DefaultSearchScoreProvider;
import io.github.jbellis.jvector.util.Bits;
import io.github.jbellis.jvector.vector.VectorSimilarityFunction;
import io.github.jbellis.jvector.vector.VectorizationProvider;
import io.github.jbellis.jvector.vector.types.VectorFloat;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ForkJoinPool;

/** JVector without a store: a graph over vectors in memory, built and searched by one thread. */
final class PlainGraph implements AutoCloseable {
  private static final int DEGREE = 32;
  private static final int SEARCH_LIST = 100;
  private static final float OVERFLOW = 1.2f;
  private static final float ALPHA = 1.2f;
  private static final VectorSimilarityFunction DISTANCE = VectorSimilarityFunction.EUCLIDEAN;

  private final ListRandomAccessVectorValues vectors;
  private final ForkJoinPool pool = new ForkJoinPool(1);
  private final GraphIndexBuilder builder;

  PlainGraph(List<float[]> stored) {
    List<VectorFloat<?>> all = new ArrayList<>();
    stored.forEach(vector -> all.add(vector(vector)));
    vectors = new ListRandomAccessVectorValues(all, stored.get(0).length);
    builder =
        GraphIndexBuilder.builder(
                BuildScoreProvider.randomAccessScoreProvider(vectors, DISTANCE),
                vectors.dimension(),
                DEGREE)
            .withBeamWidth(SEARCH_LIST)
            .withNeighborOverflow(OVERFLOW)
            .withAlpha(ALPHA)
            .withSimdExecutor(pool)
            .withParallelExecutor(pool)
            .build();
    for (int i = 0; i < all.size(); i++) {
      builder.addGraphNode(i, all.get(i));
    }
  }

  private static VectorFloat<?> vector(float[] elements) {
    return VectorizationProvider.getInstance().getVectorTypeSupport().createFloatVector(elements);
  }

  /**
   * Returns the numbers of the nearest vectors that the search finds.
   *
   * @param to the vector to search for
   * @param top the number of results
   * @param searchList the number of candidates
   */
  List<Integer> closest(float[] to, int top, int searchList) {
    try (GraphSearcher searcher = new GraphSearcher(builder.getGraph())) {
      NodeScore[] found =
          searcher
              .search(
                  DefaultSearchScoreProvider.exact(vector(to), DISTANCE, vectors),
                  searchList,
                  Bits.ALL)
              .getNodes();
      return Arrays.stream(found).limit(top).map(node -> node.node).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() throws IOException {
    builder.close();
    pool.shutdown();
  }
}
