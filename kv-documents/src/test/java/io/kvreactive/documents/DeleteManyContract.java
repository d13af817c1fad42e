package io.kvreactive.documents;

import static io.kvreactive.documents.testkit.TestStore.all;
import static io.kvreactive.documents.testkit.TestStore.of;
import static io.kvreactive.documents.testkit.TestStore.orNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.Kv;
import io.kvreactive.documents.internal.StoredKeys;
import io.kvreactive.documents.testkit.HookedEngine;
import io.kvreactive.documents.testkit.TestStore;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;

/** The contract of deleting by query. */
abstract class DeleteManyContract {
  private static final int ITEMS = 500;
  private static final SqlQuery ODD =
      SqlQuery.of("SELECT * FROM c WHERE c.odd")
          .withOptions(QueryOptions.DEFAULT.withMaxItemCount(100));

  private final TestStore store = open();
  private final DocumentStore index = documents(store);
  private final DocumentCollection<ObjectNode> items =
      index.collection("c", ObjectNode.class, CollectionDefinition.DEFAULT.withPartitionKey("/pk"));

  abstract TestStore open();

  /** Returns the collections of the store, as the program under test uses them. */
  DocumentStore documents(TestStore of) {
    return DocumentStore.over(of.kv());
  }

  private static ObjectNode item(int i) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("id", "i" + i)
        .put("pk", i % 7)
        .put("odd", i % 2 == 1);
  }

  @BeforeEach
  void fill() {
    assertThat(
            of(items.upsertMany(Flux.range(0, ITEMS).map(DeleteManyContract::item)).last())
                .entries())
        .isEqualTo(ITEMS);
  }

  @AfterEach
  void end() {
    orNull(index.close());
    store.close();
  }

  private long count(String where) {
    SqlQuery query = SqlQuery.of("SELECT VALUE COUNT(1) FROM c" + where);
    return all(items.query(query, Long.class)).get(0);
  }

  @Test
  void deletesAPartitionWhoseDeletesAreRejectedForAWhile() {
    HookedEngine engine = new HookedEngine(store.kv().engine());
    DocumentStore other = DocumentStore.over(of(Kv.open(store.vertx(), engine)));
    DocumentCollection<ObjectNode> deleting = other.collection("c", ObjectNode.class);
    of(
        items
            .load(Flux.range(0, 40).map(i -> item(3).put("id", "more" + i)))
            .last()); // not one commit
    engine.rejections.set(50);
    assertThat(of(deleting.deleteAll(PartitionKey.of(3)))).isEqualTo(111);
    assertThat(engine.rejections).hasValue(0);
    engine.rejections.set(3);
    assertThat(of(deleting.deleteAll(PartitionKey.of(4)))).isEqualTo(71); // one commit
    orNull(other.close());

    assertThat(engine.rejections).hasValue(0);
    assertThat(count(" WHERE c.pk = 3")).isZero();
  }

  @Test
  void deletesTheItemsOfAQueryAndReportsProgress() {
    List<DeleteProgress> progress = all(items.deleteMany(ODD));

    assertThat(progress).extracting(DeleteProgress::deleted).contains(100L, 200L, 250L).isSorted();
    assertThat(progress.get(progress.size() - 1).changed()).isZero();
    assertThat(count("")).isEqualTo(ITEMS / 2);
    assertThat(count(" WHERE c.odd")).isZero();
    assertThat(of(items.deleteMany(ODD).last()).deleted()).isZero();
    StoredKeys.check(store.kv(), "c");
  }

  @Test
  void deletesTheRestAfterItWasStopped() {
    StepVerifier.create(items.deleteMany(ODD), 1)
        .assertNext(first -> assertThat(first.deleted()).isEqualTo(100))
        .thenCancel()
        .verify();
    assertThat(count(" WHERE c.odd")).isLessThanOrEqualTo(150);
    long rest = of(items.deleteMany(ODD).last()).deleted();
    assertThat(rest).isLessThanOrEqualTo(150);
    assertThat(count(" WHERE c.odd")).isZero();
    assertThat(count("")).isEqualTo(ITEMS / 2);
  }

  @Test
  void leavesItemsThatWereWrittenMeanwhile() {
    AtomicBoolean written = new AtomicBoolean();
    List<DeleteProgress> progress =
        all(
            items
                .query(ODD, ObjectNode.class)
                .collectList()
                .flatMapMany(
                    rows -> {
                      // a row of a former version, as read before the write
                      ObjectNode former = rows.get(0);
                      return items
                          .upsert(item(Integer.parseInt(former.get("id").asText().substring(1))))
                          .doOnNext(again -> written.set(true))
                          .thenMany(
                              items.deleteMany(
                                  SqlQuery.of(
                                      "SELECT c.id, c.pk, @etag AS _etag FROM c WHERE c.id = @id",
                                      java.util.Map.of(
                                          "etag", former.get("_etag").asText(),
                                          "id", former.get("id").asText()))));
                    }));
    assertThat(written).isTrue();
    DeleteProgress last = progress.get(progress.size() - 1);
    assertThat(last.deleted()).isZero();
    assertThat(last.changed()).isEqualTo(1);
    assertThat(count("")).isEqualTo(ITEMS);
  }

  @Test
  void rejectsRowsThatAreNotItems() {
    for (String sql : List.of("SELECT c.id FROM c", "SELECT VALUE COUNT(1) FROM c")) {
      CollectionContract.assertCode(
          DocumentErrorCode.INVALID_ARGUMENT, items.deleteMany(SqlQuery.of(sql)));
    }
    CollectionContract.assertCode(
        DocumentErrorCode.INVALID_QUERY, items.deleteMany(SqlQuery.of("SELECT")));
    assertThat(count("")).isEqualTo(ITEMS);
  }
}
