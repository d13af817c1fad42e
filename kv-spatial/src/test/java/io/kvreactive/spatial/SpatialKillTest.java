package io.kvreactive.spatial;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.Kv;
import io.kvreactive.KvOptions;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.DocumentCollection;
import io.kvreactive.documents.DocumentStore;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.testing.ChildJvm;
import io.kvreactive.testing.Tries;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Kills processes while they write shapes and build a spatial index. */
@Timeout(600) // many processes, perhaps on a slow machine
@ExtendWith(VertxExtension.class)
class SpatialKillTest {
  private static final Duration PATIENCE = Duration.ofSeconds(120);
  private static final int KILLS = Tries.of(2, 6);

  @TempDir private Path directory;

  @Test
  void agreesWithAScanAfterEachKill(Vertx vertx) throws Exception {
    Random random = new Random(13);
    int survived = 0;
    for (int kill = 0; kill < KILLS; kill++) {
      runAndKill(random, kill % 2 == 0 ? "write" : "rebuild");
      survived += check(random, vertx) ? 1 : 0;
    }
    assertThat(survived).as("kills with an index").isGreaterThanOrEqualTo(KILLS / 2);
  }

  /**
   * Compares queries with scans.
   *
   * @return true if the entries are those that the killed process has left, false if the index had
   *     been removed and was added again
   */
  private boolean check(Random random, Vertx vertx) {
    Kv kv = Kv.open(vertx, KvOptions.at(directory)).block(PATIENCE);
    DocumentStore index = DocumentStore.over(kv);
    DocumentCollection<JsonNode> items = index.collection(SpatialKillChild.NAME, JsonNode.class);
    items.transformation().blockLast(PATIENCE); // all changes in progress
    CollectionDefinition indexed = SpatialKillChild.definition(true);
    boolean survived = items.info().block(PATIENCE).definition().equals(indexed);
    if (!survived) {
      items.replaceDefinition(indexed).blockLast(PATIENCE);
    }
    RandomShapes shapes = new RandomShapes(random);
    int found = 0;
    for (int i = 0; i < 3; i++) {
      for (SqlQuery question : SpatialQueriesTest.randomQueries(shapes, random, false)) {
        found += SpatialQueriesTest.ids(items, question).size();
      }
    }
    assertThat(found).isGreaterThan(100);
    index.close().block(PATIENCE);
    kv.close().block(PATIENCE);
    return survived;
  }

  private void runAndKill(Random random, String mode) throws Exception {
    try (ChildJvm child =
        ChildJvm.start(
            SpatialKillChild.class, directory.toString(), "" + random.nextLong(), mode)) {
      child.killAfter(200 + random.nextInt(Tries.of(500, 1500)), line -> {});
    }
  }
}
