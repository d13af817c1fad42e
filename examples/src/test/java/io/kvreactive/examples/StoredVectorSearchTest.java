package io.kvreactive.examples;

import static io.kvreactive.examples.MemoryStore.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.documents.SqlQuery;
import io.kvreactive.examples.similar.NameVectors;
import io.kvreactive.examples.similar.NamedCharacter;
import io.kvreactive.examples.similar.NamedCharacters;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Searches for the vectors of stored names find these names, and others with similar names. */
class StoredVectorSearchTest {
  private static final int FOUND = 10;
  private static final double ROUNDING = 1e-6;
  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final Duration LOOK = Duration.ofMillis(50);

  @RegisterExtension final MemoryStore store = new MemoryStore();

  @Test
  void findsSomeOfTheNames() {
    try (Characters characters = new Characters("diskANN", 1200)) {
      characters.search("", 100, 0);
    }
  }

  /** Each condition leaves thousands of names; the second one is not answered by an index. */
  @ParameterizedTest
  @ValueSource(strings = {"diskANN", "quantizedFlat"})
  @Tag("long")
  void findsAllOfTheNames(String type) {
    try (Characters characters = new Characters(type, NamedCharacters.count())) {
      characters.search("", 2000, 2);
      characters.search("WHERE c.name < 'H'", 500, 2);
      characters.search("WHERE CONTAINS(c.name, 'LETTER')", 500, 2);
    }
  }

  /** The first characters, in a collection whose vectors are indexed. */
  private final class Characters implements AutoCloseable {
    private final NamedCharacters all = new NamedCharacters(store.kv());

    Characters(String indexType, int count) {
      all.fill(count, indexType).blockLast(PATIENCE);
      awaitIndexed(all, count);
    }

    @Override
    public void close() {
      await(all.close());
    }

    /**
     * Searches for stored vectors until none of the searches misses the vector itself: new vectors
     * are checked in the background.
     *
     * @param where a condition of the vectors and of the results, or an empty text
     * @param mostAlone the maximum number of searches that find none of the nine other closest
     *     names
     */
    void search(String where, int searches, int mostAlone) {
      Map<String, float[]> vectors = new LinkedHashMap<>();
      await(
              all.characters()
                  .query(SqlQuery.of("SELECT * FROM c " + where), NamedCharacter.class)
                  .collectList())
          .forEach(each -> vectors.put(each.id(), each.v()));
      List<float[]> stored = List.copyOf(vectors.values());
      assertThat(stored).hasSizeGreaterThan(1000); // fewer are compared one by one
      List<float[]> sought =
          new Random(1).ints(searches, 0, stored.size()).mapToObj(stored::get).toList();
      long end = System.nanoTime() + PATIENCE.toNanos();
      List<float[]> missed = missed(where, sought, vectors);
      while (!missed.isEmpty()) {
        assertThat(System.nanoTime())
            .as("%d searches miss the vector %s", missed.size(), where)
            .isLessThan(end);
        missed = missed(where, missed, vectors);
      }
      assertThat(missed(where, sought, vectors)).as(where).isEmpty();
      int alone = 0;
      int closest = 0;
      for (float[] vector : sought) {
        double tenth =
            -stored.stream()
                .mapToDouble(each -> -product(vector, each))
                .sorted()
                .skip(FOUND - 1)
                .findFirst()
                .orElseThrow();
        long found = found(where, vector, vectors, tenth);
        alone += found < 2 ? 1 : 0;
        closest += (int) found;
      }
      assertThat(alone)
          .as("searches that find none of the others %s", where)
          .isLessThanOrEqualTo(mostAlone);
      assertThat((double) closest / searches / FOUND).as("recall %s", where).isGreaterThan(0.99);
    }

    private List<float[]> missed(String where, List<float[]> sought, Map<String, float[]> vectors) {
      return sought.stream().filter(vector -> found(where, vector, vectors, 1) == 0).toList();
    }

    /** Returns the number of results of at least a score. */
    private long found(String where, float[] vector, Map<String, float[]> vectors, double score) {
      return await(all.characters().query(query(where, vector), String.class).collectList())
          .stream()
          .filter(id -> product(vector, vectors.get(id)) >= score - ROUNDING)
          .count();
    }
  }

  private static double product(float[] one, float[] other) {
    double product = 0;
    for (int i = 0; i < one.length; i++) {
      product += (double) one[i] * other[i];
    }
    return product;
  }

  private static SqlQuery query(String where, float[] vector) {
    return SqlQuery.of(
        "SELECT TOP 10 VALUE c.id FROM c " + where + " ORDER BY VectorDistance(c.v, @v)",
        Map.of("v", vector));
  }

  private static void awaitIndexed(NamedCharacters all, int count) {
    all.characters()
        .explain(query("", NameVectors.of("any")))
        .map(explained -> explained.plan().get("orderBy"))
        .filter(
            order ->
                order.get("ready").asBoolean() && order.get("vectorsInMemory").asInt() == count)
        .repeatWhenEmpty(looks -> looks.delayElements(LOOK))
        .block(PATIENCE);
  }
}
