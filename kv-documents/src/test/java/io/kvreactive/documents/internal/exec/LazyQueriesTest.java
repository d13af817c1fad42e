package io.kvreactive.documents.internal.exec;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.CompositePath;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.DocumentStore;
import io.kvreactive.documents.DocumentStoreOptions;
import io.kvreactive.documents.IndexingMode;
import io.kvreactive.documents.IndexingPolicy;
import io.kvreactive.documents.PartitionKey;
import io.kvreactive.documents.QueryOptions;
import io.kvreactive.documents.QueryUpdate;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.documents.WriteOptions;
import io.kvreactive.documents.internal.eval.InMemoryQuery;
import io.kvreactive.documents.internal.sql.QueryBinder;
import io.kvreactive.documents.internal.sql.Sql;
import io.kvreactive.documents.internal.value.DeepKey;
import io.kvreactive.documents.testkit.TestStore;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

/** Tests of queries by lagging indexes, before and after the indexes have caught up. */
class LazyQueriesTest {
  private static final DocumentStoreOptions OPTIONS =
      DocumentStoreOptions.DEFAULT.withAllowLazy(true);
  private static final IndexingPolicy POLICY =
      IndexingPolicy.DEFAULT
          .withComposite(CompositePath.ascending("/a"), CompositePath.ascending("/b"))
          .withComposite(CompositePath.descending("/b"), CompositePath.descending("/s"))
          .withComposite(CompositePath.ascending("/b"), CompositePath.ascending("/kids/[]/age"))
          .withIncluded("/kids/[]/{name, age}/?", "/a/?", "/f/?")
          .withIndexingMode(IndexingMode.LAZY);

  /** Queries whose rows over some of the items are not a part of the rows over all items. */
  private static final Pattern OF_ALL =
      Pattern.compile(
          "\\b(COUNT|COUNTIF|SUM|AVG|MIN|MAX|MAKELIST|MAKESET|GROUP|TOP|LIMIT|DISTINCT)\\b",
          Pattern.CASE_INSENSITIVE);

  private QueryStore store;

  @BeforeEach
  void createLaggingIndexes() {
    store =
        new QueryStore(
            CollectionDefinition.DEFAULT.withIndexingPolicy(POLICY), OPTIONS.withBackground(false));
    store.fill(new SampleDocuments(1).make(0, 160));
    catchUp();
    for (ObjectNode other : new SampleDocuments(2).make(0, 80)) {
      store.items.upsert(other, WriteOptions.DEFAULT).block(QueryStore.PATIENCE);
    }
    for (String id : ids().subList(120, 140)) {
      store.items.delete(id, PartitionKey.NONE, WriteOptions.DEFAULT).block(QueryStore.PATIENCE);
    }
    store.fill(new SampleDocuments(3).make(200, 230));
    assertThat(lag()).isEqualTo(130);
  }

  @AfterEach
  void close() {
    store.close();
  }

  private List<String> ids() {
    return store.stored().stream().map(item -> item.get("id").asText()).toList();
  }

  private long lag() {
    return plan().get("indexLag").longValue();
  }

  private ObjectNode plan() {
    SqlQuery any = SqlQuery.of("SELECT * FROM c WHERE c.a = 1");
    return Objects.requireNonNull(store.items.explain(any).block(QueryStore.PATIENCE)).plan();
  }

  private void catchUp() {
    DocumentStore worker = store.another(OPTIONS);
    TestStore.await(() -> lag() == 0);
    worker.close().block(QueryStore.PATIENCE);
  }

  @Test
  void returnsCorrectRowsAndAllOfThemAfterCatchUp() {
    List<JsonNode> stored = store.stored();
    SoftAssertions all = new SoftAssertions();
    int fewer = 0;
    List<String> queries = DifferentialTest.queries(1);
    for (String sql : queries) {
      if (OF_ALL.matcher(sql).find()) {
        continue;
      }
      List<DeepKey> expected =
          InMemoryQuery.run(
                  QueryBinder.bind(Sql.parse(sql), Map.of()),
                  stored,
                  ItemContext.of(
                      CollectionDefinition.DEFAULT, InstantSource.system(), Instant.now(), 0))
              .stream()
              .map(DeepKey::new)
              .toList();
      for (QueryOptions options : DifferentialTest.options()) {
        List<DeepKey> rows;
        try {
          rows = store.rows(sql, options).stream().map(DeepKey::new).toList();
        } catch (DocumentException e) {
          all.assertThat(e.code()).as(sql + e).isEqualTo(DocumentErrorCode.ORDER_NOT_INDEXED);
          continue;
        }
        Map<DeepKey, Integer> left = new HashMap<>();
        expected.forEach(row -> left.merge(row, 1, Integer::sum));
        List<DeepKey> wrong = new ArrayList<>();
        for (DeepKey row : rows) {
          if (left.computeIfPresent(row, (key, count) -> count - 1) == null) {
            wrong.add(row);
          }
        }
        all.assertThat(wrong).as(sql).isEmpty();
        all.assertThat(left.values()).as(sql).allMatch(count -> count >= 0);
        left.values().removeIf(count -> count == 0);
        fewer += left.isEmpty() ? 0 : 1;
        all.assertThat(options.forceScan() && !left.isEmpty()).as(sql).isFalse();
      }
    }
    assertThat(fewer).as("queries that miss something").isPositive();

    catchUp();
    for (String sql : queries) {
      try {
        DifferentialTest.assertSameRows(
            all, sql, sql, store.rows(sql, QueryOptions.DEFAULT), stored);
      } catch (DocumentException e) {
        all.assertThat(e.code()).as(sql + e).isEqualTo(DocumentErrorCode.ORDER_NOT_INDEXED);
      }
    }
    all.assertAll();
  }

  @Test
  void countsTheLagUpToALimit() {
    assertThat(plan().get("indexLagMore").booleanValue()).isFalse();
    create(9_870);
    assertThat(lag()).isEqualTo(10_000);
    assertThat(plan().get("indexLagMore").booleanValue()).isFalse();
    create(1);
    assertThat(lag()).isEqualTo(10_000);
    assertThat(plan().get("indexLagMore").booleanValue()).isTrue();
  }

  private void create(int count) {
    Flux.range(0, count)
        .map(i -> JsonNodeFactory.instance.objectNode().put("id", count + "-" + i))
        .flatMap(item -> store.items.create(item, WriteOptions.DEFAULT), 64)
        .blockLast(QueryStore.PATIENCE);
  }

  @Test
  void missesNoChangesInAWatchedQuery() {
    SqlQuery query = SqlQuery.of("SELECT * FROM c WHERE c.a = 3");
    List<JsonNode> scanned =
        store.rows(query.withOptions(QueryOptions.DEFAULT.withForceScan(true)));
    assertThat(store.rows(query)).hasSizeLessThan(scanned.size());
    List<QueryUpdate<JsonNode>> seen =
        Objects.requireNonNull(
            store
                .items
                .watchQuery(query, JsonNode.class)
                .takeUntil(update -> update instanceof QueryUpdate.Synced)
                .collectList()
                .block(QueryStore.PATIENCE));
    assertThat(seen).hasSize(scanned.size() + 1);
  }
}
