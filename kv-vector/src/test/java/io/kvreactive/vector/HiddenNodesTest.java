package io.kvreactive.vector;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.documents.spi.NeighborIndex;
import io.kvreactive.documents.spi.NeighborSpec;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Checked nodes are found, also those to which no edge of the graph leads. */
class HiddenNodesTest {
  private static final int DIMENSIONS = 16;
  private static final int COUNT = 400; // fewer than those that have codes, which a scan reads
  private static final NeighborSpec SPEC =
      new NeighborSpec("diskANN", DIMENSIONS, "euclidean", null, null, false);

  private final VectorExtension extension = new VectorExtension();
  private final RandomVectors vectors = RandomVectors.clustered(11, DIMENSIONS);
  private final Map<Long, float[]> stored = new TreeMap<>();

  private void put(NeighborIndex index, long id) {
    stored.put(id, vectors.next());
    index.put(id, 1, stored.get(id));
  }

  private NeighborGraph filled() {
    NeighborIndex index = extension.newNeighborIndex(SPEC, List.of(vectors.next()));
    for (long id = 1; id <= COUNT; id++) {
      put(index, id);
    }
    return (NeighborGraph) index;
  }

  private static byte[] saved(NeighborIndex index) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    index.save(new DataOutputStream(bytes));
    return bytes.toByteArray();
  }

  private NeighborGraph loaded(byte[] saved) throws IOException {
    NeighborIndex loaded = extension.loadNeighborIndex(SPEC, ByteBuffer.wrap(saved));
    loaded.ids().forEach(id -> loaded.restore(id, stored.get(id)));
    loaded.restored();
    return (NeighborGraph) loaded;
  }

  private static boolean isHidden(int node) {
    return node % 40 == 7;
  }

  /** Returns a saved graph without the edges to some nodes. */
  private static byte[] withoutEdges(byte[] saved) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(saved));
    out.write(in.readNBytes(4 * Integer.BYTES)); // the form of the vectors
    int ordinals = in.readInt();
    out.writeInt(ordinals);
    out.write(in.readNBytes(ordinals * 2 * Long.BYTES));
    int levels = ~in.readInt();
    out.writeInt(~levels);
    out.writeInt(in.readInt()); // the number of nodes to be checked
    in.skipNBytes(in.readInt() * 2L * Integer.BYTES); // back edges
    out.writeInt(0);
    out.write(in.readNBytes(2 * Integer.BYTES)); // the entry node
    for (int level = 0; level < levels; level++) {
      int nodes = in.readInt();
      out.writeInt(nodes);
      for (int i = 0; i < nodes; i++) {
        out.writeInt(in.readInt());
        int count = in.readInt();
        List<Integer> neighbors = new ArrayList<>();
        for (int j = 0; j < count; j++) {
          int neighbor = in.readInt();
          if (!isHidden(neighbor)) {
            neighbors.add(neighbor);
          }
        }
        out.writeInt(neighbors.size());
        for (int neighbor : neighbors) {
          out.writeInt(neighbor);
        }
      }
    }
    return bytes.toByteArray();
  }

  private void assertFindsEach(NeighborIndex index) {
    while (index.check(100)) {
      assertThat(index.size()).isEqualTo(stored.size());
    }
    stored.forEach(
        (id, vector) ->
            assertThat(index.search(vector, 10, 50, NeighborIndex.ALL)[0])
                .as("closest to the vector of %d", id)
                .isEqualTo(id));
  }

  private long missing(NeighborIndex index) {
    return stored.entrySet().stream()
        .filter(
            each -> index.search(each.getValue(), 10, 50, NeighborIndex.ALL)[0] != each.getKey())
        .count();
  }

  @Test
  void areFound() throws IOException {
    byte[] saved;
    try (NeighborGraph whole = filled()) {
      saved = withoutEdges(saved(whole));
    }
    try (NeighborGraph graph = loaded(saved)) {
      assertThat(missing(graph)).isGreaterThan(5);
      assertFindsEach(graph);
      for (int node = 7; node < COUNT; node += 80) {
        graph.remove(node + 1);
        stored.remove(node + 1L);
      }
      graph.tidy();
      assertFindsEach(graph);
    }
  }

  @Test
  void areNotLeftByChanges() throws IOException {
    try (NeighborGraph graph = filled()) {
      for (int round = 0; round < 5; round++) {
        for (long id = 1 + round; id <= COUNT; id += 3) {
          graph.remove(id);
          stored.remove(id);
        }
        graph.tidy();
        for (long id = 1 + round; id <= COUNT; id += 2) { // adds some, replaces others
          put(graph, id);
        }
        graph.tidy();
        assertFindsEach(graph);
      }
      try (NeighborGraph again = loaded(saved(graph))) {
        assertFindsEach(again);
      }
    }
  }
}
