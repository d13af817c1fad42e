package io.kvreactive.vector;

import static io.kvreactive.vector.VectorItems.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.Kv;
import io.kvreactive.KvOptions;
import io.kvreactive.documents.DocumentCollection;
import io.kvreactive.documents.DocumentStore;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.testing.ChildJvm;
import io.kvreactive.testing.Tries;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Kills processes while they write, index and save vectors of collections of all types. */
@Timeout(600) // many processes, perhaps on a slow machine
@ExtendWith(VertxExtension.class)
class VectorKillTest {
  private static final int KILLS = Tries.of(1, 3);

  @TempDir private Path directory;

  @Test
  void containsTheStoredVectorsAfterAKill(Vertx vertx) throws Exception {
    Random random = new Random(17);
    for (int kill = 0; kill < KILLS; kill++) {
      runAndKill(random);
      check(random, vertx);
    }
  }

  private void check(Random random, Vertx vertx) {
    Kv kv = Kv.open(vertx, KvOptions.at(directory)).block(PATIENCE);
    DocumentStore index = DocumentStore.over(kv);
    for (String type : VectorItems.types()) {
      check(index.collection(VectorKillChild.name(type), JsonNode.class), random);
    }
    index.close().block(PATIENCE);
    kv.close().block(PATIENCE);
  }

  private static void check(DocumentCollection<JsonNode> items, Random random) {
    Integer count =
        items.query(SqlQuery.of("SELECT VALUE COUNT(1) FROM c"), Integer.class).blockLast(PATIENCE);
    assertThat(count).isGreaterThan(1000);
    RandomVectors vectors = RandomVectors.clustered(random.nextLong(), VectorItems.DIMENSIONS);
    VectorItems.assertSame(items, count / 2, "", vectors.next()); // before it is loaded
    VectorItems.awaitReady(items, vectors.next(), 300);
    for (int i = 0; i < Tries.of(3, 10); i++) {
      VectorItems.assertSame(items, count / 2, "", vectors.next());
      VectorItems.assertSame(items, 200, "WHERE c.n % 2 = 0", vectors.next());
      VectorItems.assertSame(items, count / 2, "WHERE c.shard = 'large'", vectors.next());
      VectorItems.assertSame(items, 30, "WHERE c.shard = 's3'", vectors.next());
    }
  }

  private void runAndKill(Random random) throws Exception {
    int lines = 3000 + random.nextInt(Tries.of(1000, 6000));
    List<String> arguments = new ArrayList<>(List.of(directory.toString(), "" + random.nextLong()));
    arguments.addAll(VectorItems.types());
    try (ChildJvm child = ChildJvm.start(VectorKillChild.class, arguments.toArray(String[]::new))) {
      child.killAfter(lines, line -> {});
    }
  }
}
