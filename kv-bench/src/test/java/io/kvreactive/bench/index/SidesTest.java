package io.kvreactive.bench.index;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvOptions;
import io.kvreactive.bench.OpenStore;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Checks that all sides return the same rows. */
class SidesTest {
  private static final int ITEMS = 3_000;
  private static final int ANY = 17;
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  @TempDir Path directory;

  @Test
  void createsDocumentsOfTheIntendedSize() {
    assertThat(People.bytes(123_456)).hasSizeBetween(250, 350);
    assertThat(People.document(7)).isEqualTo(People.document(7)).isNotEqualTo(People.document(8));
  }

  @Test
  void returnsTheSameRowsFromCollectionsHandMadeIndexAndScan() {
    try (OpenStore store = new OpenStore(KvOptions.inMemory())) {
      IndexSide index = new IndexSide(store.kv());
      PlainSide plain = new PlainSide(store.kv());
      Flux.range(0, ITEMS).flatMap(index::create, 100).blockLast(PATIENCE);
      plain.load(0, ITEMS).blockLast(PATIENCE);
      assertThat(own(of(index.point(ANY)))).isEqualTo(People.document(ANY));
      assertThat(of(plain.get(ANY))).isEqualTo(People.bytes(ANY));

      index.build().blockLast(PATIENCE);
      String city = People.city(ANY);
      List<JsonNode> rows = expected(city);
      assertThat(of(index.range(city, 20)).stream().map(SidesTest::own)).isEqualTo(rows);
      assertThat(of(index.scan(city, 20)).stream().map(SidesTest::own)).isEqualTo(rows);
      assertThat(of(plain.range(city, 20))).isEqualTo(rows);
    }
  }

  @Test
  void returnsTheSameRowsFromSqlite() throws SQLException {
    assertSameRows(BenchDatabase.SQLITE);
  }

  @Test
  void returnsTheSameRowsFromH2() throws SQLException {
    assertSameRows(BenchDatabase.H2);
  }

  private void assertSameRows(BenchDatabase database) throws SQLException {
    try (SqlSide side = SqlSide.create(database, directory)) {
      side.load("people", 0, ITEMS);
      side.build();
      assertThat(side.point(ANY)).isEqualTo(People.document(ANY));
      assertThat(side.range(People.city(ANY), 20)).isEqualTo(expected(People.city(ANY)));
      side.drop();
      side.grow(1);
      side.load("growing", 2, 10);
    }
  }

  /** Returns the expected rows by age, and within one age in the order of their creation. */
  private static List<JsonNode> expected(String city) {
    List<JsonNode> rows =
        Flux.range(0, ITEMS)
            .filter(number -> People.city(number).equals(city) && People.age(number) > 20)
            .sort(java.util.Comparator.comparingInt(People::age))
            .take(20)
            .map(number -> (JsonNode) People.document(number))
            .collectList()
            .block();
    assertThat(rows).isNotEmpty();
    return Objects.requireNonNull(rows);
  }

  private static <T> T of(Mono<T> mono) {
    return Objects.requireNonNull(mono.block(PATIENCE));
  }

  /** Returns a row without the members that the store adds. */
  private static JsonNode own(JsonNode row) {
    return ((ObjectNode) row.deepCopy()).without(List.of("_ts", "_etag"));
  }
}
