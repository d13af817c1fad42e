package io.kvreactive.vector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.jbellis.jvector.graph.GraphIndexBuilder;
import io.github.jbellis.jvector.graph.GraphSearcher;
import io.github.jbellis.jvector.graph.OnHeapGraphIndex;
import io.github.jbellis.jvector.graph.SearchResult;
import io.github.jbellis.jvector.graph.similarity.DefaultSearchScoreProvider;
import io.github.jbellis.jvector.util.Bits;
import io.github.jbellis.jvector.vector.types.VectorFloat;
import io.kvreactive.documents.spi.NeighborSpec;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GroupedNeighborsTest {
  private static SearchResult search(GraphSearcher searcher, WholeVectors vectors, float[] query) {
    return searcher.search(new DefaultSearchScoreProvider(vectors.scores(query)), 20, Bits.ALL);
  }

  @ParameterizedTest
  @CsvSource({"1, 200", "3, 3", "30, 1", "17, 2", "130, 700"})
  void findsWhatTheGraphsOwnViewFinds(int dimensions, int count) throws IOException {
    RandomVectors random = RandomVectors.uniform(3, dimensions);
    List<float[]> stored = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      stored.add(random.next());
    }
    WholeVectors vectors =
        new WholeVectors(
            VectorSpace.of(
                new NeighborSpec("diskANN", dimensions, "euclidean", null, null, false), stored));
    try (GraphIndexBuilder builder =
        GraphIndexBuilder.builder(vectors.builds(), dimensions, 8)
            .withBeamWidth(50)
            .withNeighborOverflow(1.2f)
            .withAlpha(1.2f)
            .build()) {
      long id = 1;
      for (float[] vector : stored) {
        VectorFloat<?> indexed = vectors.indexed(vector);
        builder.addGraphNode(vectors.add(id++, 1, indexed), indexed);
      }
      OnHeapGraphIndex graph = (OnHeapGraphIndex) builder.getGraph();
      GraphSearcher plain = new GraphSearcher(graph);
      GraphSearcher grouped = new GraphSearcher(graph);
      grouped.setView(new GroupedNeighbors(graph, new BackEdges().view()));
      for (int i = 0; i < 100; i++) {
        float[] query = random.next();
        SearchResult expected = search(plain, vectors, query);
        SearchResult found = search(grouped, vectors, query);
        assertThat(found.getVisitedCount()).isEqualTo(expected.getVisitedCount());
        assertThat(found.getNodes()).hasSize(Math.min(20, count));
        for (int rank = 0; rank < found.getNodes().length; rank++) {
          assertThat(found.getNodes()[rank].node).isEqualTo(expected.getNodes()[rank].node);
          assertThat(found.getNodes()[rank].score)
              .isCloseTo(expected.getNodes()[rank].score, within(1e-5f));
        }
      }
    }
  }
}
