package io.kvreactive.examples;

import static io.kvreactive.examples.MemoryStore.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.examples.similar.NameVectors;
import io.kvreactive.examples.similar.NamedCharacter;
import io.kvreactive.examples.similar.NamedCharacters;
import io.kvreactive.index.SqlQuery;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Searches for the vectors of stored names find these names, and others with similar names. */
class StoredVectorSearchTest {
  private static final int FOUND = 10;
  private static final double ROUNDING = 1e-6;
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  @RegisterExtension final MemoryStore store = new MemoryStore();

  @Test
  void findsSomeOfTheNames() {
    search(3000, 300, 0);
  }

  @Test
  @Tag("long")
  void findsAllOfTheNames() {
    search(NamedCharacters.count(), 2000, 2);
  }

  /**
   * Searches for stored vectors until none of the searches misses the vector itself: new vectors
   * are checked in the background.
   *
   * @param mostAlone the maximum number of searches that find none of the nine other closest names
   */
  private void search(int count, int searches, int mostAlone) {
    NamedCharacters all = new NamedCharacters(store.kv());
    all.fill(count).blockLast(PATIENCE);
    awaitIndexed(all, count);
    List<NamedCharacter> stored =
        await(
            all.characters()
                .query(SqlQuery.of("SELECT * FROM c"), NamedCharacter.class)
                .collectList());
    Map<String, float[]> vectors = new HashMap<>();
    stored.forEach(each -> vectors.put(each.id(), each.v()));
    List<float[]> sought =
        new Random(1).ints(searches, 0, count).mapToObj(i -> stored.get(i).v()).toList();
    long end = System.nanoTime() + PATIENCE.toNanos();
    List<float[]> missed = missed(all, sought, vectors);
    while (!missed.isEmpty()) {
      assertThat(System.nanoTime())
          .as("%d searches miss the vector", missed.size())
          .isLessThan(end);
      missed = missed(all, missed, vectors);
    }
    assertThat(missed(all, sought, vectors)).isEmpty();
    int alone = 0;
    int closest = 0;
    for (float[] vector : sought) {
      double tenth =
          -vectors.values().stream()
              .mapToDouble(each -> -product(vector, each))
              .sorted()
              .skip(FOUND - 1)
              .findFirst()
              .orElseThrow();
      long found = found(all, vector, vectors, tenth);
      alone += found < 2 ? 1 : 0;
      closest += (int) found;
    }
    assertThat(alone).as("searches that find none of the others").isLessThanOrEqualTo(mostAlone);
    assertThat((double) closest / searches / FOUND).as("recall").isGreaterThan(0.99);
    await(all.close());
  }

  private static List<float[]> missed(
      NamedCharacters all, List<float[]> sought, Map<String, float[]> vectors) {
    return sought.stream().filter(vector -> found(all, vector, vectors, 1) == 0).toList();
  }

  /** Returns the number of results of at least a score. */
  private static long found(
      NamedCharacters all, float[] vector, Map<String, float[]> vectors, double score) {
    return await(all.characters().query(query(vector), String.class).collectList()).stream()
        .filter(id -> product(vector, vectors.get(id)) >= score - ROUNDING)
        .count();
  }

  private static double product(float[] one, float[] other) {
    double product = 0;
    for (int i = 0; i < one.length; i++) {
      product += (double) one[i] * other[i];
    }
    return product;
  }

  private static SqlQuery query(float[] vector) {
    return SqlQuery.of(
        "SELECT TOP 10 VALUE c.id FROM c ORDER BY VectorDistance(c.v, @v)", Map.of("v", vector));
  }

  private static void awaitIndexed(NamedCharacters all, int count) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    SqlQuery any = query(NameVectors.of("any"));
    while (true) {
      JsonNode order = await(all.characters().explain(any)).plan().get("orderBy");
      if (order.get("ready").asBoolean() && order.get("vectorsInMemory").asInt() == count) {
        return;
      }
      assertThat(System.nanoTime()).isLessThan(end);
    }
  }
}
