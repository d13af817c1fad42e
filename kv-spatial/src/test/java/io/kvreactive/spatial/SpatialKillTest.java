package io.kvreactive.spatial;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.Kv;
import io.kvreactive.KvOptions;
import io.kvreactive.index.DocumentCollection;
import io.kvreactive.index.DocumentStore;
import io.kvreactive.index.SqlQuery;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
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
  private static final int KILLS = 3;

  @TempDir private Path directory;

  @Test
  void agreesWithAScanAfterAKill(Vertx vertx) throws Exception {
    Random random = new Random(13);
    for (int kill = 0; kill < KILLS; kill++) {
      runAndKill(random);
    }
    Kv kv = Kv.open(vertx, KvOptions.at(directory)).block(PATIENCE);
    DocumentStore index = DocumentStore.over(kv);
    DocumentCollection<JsonNode> items = index.collection(SpatialKillChild.NAME, JsonNode.class);
    items.transformation().blockLast(PATIENCE); // any change that was in progress
    items.replaceDefinition(SpatialKillChild.definition(true)).blockLast(PATIENCE);
    RandomShapes shapes = new RandomShapes(random);
    int found = 0;
    for (int i = 0; i < 5; i++) {
      for (SqlQuery question : SpatialQueriesTest.randomQueries(shapes, random, false)) {
        found += SpatialQueriesTest.ids(items, question).size();
      }
    }
    assertThat(found).isGreaterThan(100);
    index.close().block(PATIENCE);
    kv.close().block(PATIENCE);
  }

  private void runAndKill(Random random) throws Exception {
    Process child =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-Xmx256m",
                    "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1",
                    "-cp",
                    System.getProperty("java.class.path"),
                    SpatialKillChild.class.getName(),
                    directory.toString(),
                    "" + random.nextLong()))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(child.getInputStream(), StandardCharsets.UTF_8))) {
      int most = 200 + random.nextInt(1500);
      int count = 0;
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (++count == most) {
          child.toHandle().destroyForcibly();
        }
      }
      assertThat(count).isGreaterThanOrEqualTo(most);
    } finally {
      child.toHandle().destroyForcibly();
      child.waitFor();
    }
  }
}
