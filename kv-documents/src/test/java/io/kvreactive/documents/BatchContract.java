package io.kvreactive.documents;

import static io.kvreactive.documents.CollectionContract.assertCode;
import static io.kvreactive.documents.testkit.TestStore.all;
import static io.kvreactive.documents.testkit.TestStore.of;
import static io.kvreactive.documents.testkit.TestStore.orNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.BatchResult.Outcome;
import io.kvreactive.documents.internal.StoredKeys;
import io.kvreactive.documents.testkit.ManualClock;
import io.kvreactive.documents.testkit.TestStore;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

/** The contract of transactional batches and conditional patches. */
abstract class BatchContract {
  private static final PartitionKey ADA = PartitionKey.of("ada");
  private static final TransactionalBatch BATCH = TransactionalBatch.of(ADA);
  private static final List<PatchOperation> STEP = List.of(new PatchOperation.Set("/x", 1));

  private final ManualClock clock = new ManualClock();
  private TestStore store;
  private DocumentStore index;
  private DocumentCollection<JsonNode> items;

  abstract TestStore open();

  /** Returns the collections of the store, as the program under test uses them. */
  DocumentStore documents(TestStore of, DocumentStoreOptions options) {
    return DocumentStore.over(of.kv(), options);
  }

  @BeforeEach
  void start() {
    store = open();
    index = documents(store, DocumentStoreOptions.DEFAULT.withClock(clock));
    of(
        index.create(
            "c",
            CollectionDefinition.DEFAULT
                .withPartitionKey("/owner")
                .withDefaultTtl(-1)
                .withUniqueKeys(UniqueKey.of("/u"))));
    items = index.collection("c", JsonNode.class);
  }

  @AfterEach
  void end() {
    orNull(index.close());
    StoredKeys.check(store.kv(), "c");
    store.close();
  }

  private static ObjectNode item(String id, int n) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("id", id)
        .put("owner", "ada")
        .put("u", "of " + id)
        .put("n", n);
  }

  private void assertFails(int operation, DocumentErrorCode code, TransactionalBatch batch) {
    List<JsonNode> before = all(items.query("SELECT * FROM c"));
    assertThatThrownBy(() -> items.execute(batch).block())
        .isInstanceOfSatisfying(
            BatchException.class,
            e -> {
              assertThat(e.code()).as(e.getMessage()).isEqualTo(code);
              assertThat(e.failedOperation()).isEqualTo(operation);
            });
    assertThat(all(items.query("SELECT * FROM c"))).isEqualTo(before);
  }

  @Test
  void limitsTheBytesOfPatchedAndReadItems() {
    String text = "x".repeat(1 << 20);
    of(items.create(item("big", 0).put("text", text)));
    TransactionalBatch patches = BATCH;
    TransactionalBatch reads = BATCH;
    for (int i = 0; i < 20; i++) {
      patches = patches.patch("big", new PatchOperation.Increment("/n", 1));
      reads = reads.read("big");
    }
    TransactionalBatch failing =
        patches.patch(
            "big",
            List.of(new PatchOperation.Remove("/x")),
            PatchOptions.filter("false")); // is never reached
    assertCode(DocumentErrorCode.LIMIT_EXCEEDED, items.execute(failing));
    assertCode(DocumentErrorCode.LIMIT_EXCEEDED, items.execute(reads));
    assertThat(of(items.read("big", ADA)).value().path("n").asInt()).isZero();
  }

  @Test
  void filtersOfPatchesUseComputedProperties() {
    DocumentCollection<JsonNode> computing =
        index.collection(
            "computing",
            JsonNode.class,
            CollectionDefinition.DEFAULT
                .withPartitionKey("/owner")
                .withComputedProperties(
                    List.of(new ComputedProperty("twice", "SELECT VALUE c.n * 2 FROM c"))));
    of(computing.create(item("a", 2)));
    List<PatchOperation> increment = List.of(new PatchOperation.Increment("/n", 1));
    of(computing.patch("a", ADA, increment, PatchOptions.filter("c.twice = 4")));
    assertCode(
        DocumentErrorCode.CONDITION_NOT_MET,
        computing.patch("a", ADA, increment, PatchOptions.filter("c.twice = 4")));
    of(
        computing.execute(
            BATCH
                .patch("a", increment, PatchOptions.filter("c.twice = 6"))
                .patch("a", increment, PatchOptions.filter("c.twice = 8"))));
    assertThat(of(computing.read("a", ADA)).value().path("n").asInt()).isEqualTo(5);
    assertThat(of(computing.read("a", ADA)).value().has("twice")).isFalse();
  }

  @Test
  void commitsAllOperationsAtOneVersion() {
    Item<JsonNode> old = of(items.create(item("old", 1)));
    of(items.create(item("gone", 2)));
    of(items.create(item("still", 3)));
    BatchResult<JsonNode> result =
        of(
            items.execute(
                BATCH
                    .create(item("new", 4))
                    .upsert(item("up", 5))
                    .replace(item("old", 6), WriteOptions.ifMatch(old.etag()))
                    .read("still")
                    .patch("old", new PatchOperation.Increment("/n", 10))
                    .read("old")
                    .delete("gone")));

    assertThat(result.results())
        .extracting(BatchResult.Result::outcome)
        .containsExactly(
            Outcome.CREATED,
            Outcome.CREATED,
            Outcome.REPLACED,
            Outcome.READ,
            Outcome.REPLACED,
            Outcome.READ,
            Outcome.DELETED);
    assertThat(result.results().get(2).item().value().get("n").intValue()).isEqualTo(6);
    assertThat(result.results().get(3).item()).isEqualTo(of(items.read("still", ADA)));
    assertThat(result.results().get(5).item()).isEqualTo(of(items.read("old", ADA)));
    assertThat(result.results().get(5).item().value().get("n").intValue()).isEqualTo(16);
    assertThat(result.results().get(6).item()).isNull();
    assertThat(orNull(items.read("gone", ADA))).isNull();
    assertThat(of(items.read("new", ADA)).etag()).isEqualTo(result.versionstamp());
    assertThat(of(items.read("up", ADA)).etag()).isEqualTo(result.versionstamp());
  }

  @Test
  void changesNothingIfAnOperationFails() {
    of(items.create(item("a", 1)));
    TransactionalBatch begun = BATCH.create(item("b", 1)).delete("a");

    assertFails(2, DocumentErrorCode.ITEM_EXISTS, begun.create(item("b", 2)));
    assertFails(2, DocumentErrorCode.ITEM_NOT_FOUND, begun.replace(item("x", 2)));
    assertFails(2, DocumentErrorCode.ITEM_NOT_FOUND, begun.read("a"));
    assertFails(2, DocumentErrorCode.ITEM_NOT_FOUND, begun.delete("a"));
    assertFails(
        2, DocumentErrorCode.ITEM_NOT_FOUND, begun.patch("x", new PatchOperation.Remove("/n")));
    assertFails(
        2, DocumentErrorCode.INVALID_PATCH, begun.patch("b", new PatchOperation.Remove("/x")));
    assertFails(2, DocumentErrorCode.INVALID_ITEM, begun.upsert(Map.of("id", 7)));
    assertFails(2, DocumentErrorCode.INVALID_ITEM, begun.upsert(item("c", 1).put("owner", "bob")));
    assertFails(
        2,
        DocumentErrorCode.CONDITION_NOT_MET,
        begun.patch("b", STEP, PatchOptions.filter("c.n = 2")));
    assertFails(
        2, DocumentErrorCode.INVALID_QUERY, begun.patch("b", STEP, PatchOptions.filter("c.n =")));
    assertFails(
        2,
        DocumentErrorCode.ETAG_MISMATCH,
        begun.delete("b", WriteOptions.ifMatch(of(items.read("a", ADA)).etag())));
  }

  @Test
  void requiresEtagsOfStoredItems() {
    Item<JsonNode> a = of(items.create(item("a", 1)));
    Item<JsonNode> b = of(items.create(item("b", 1)));

    assertFails(
        1,
        DocumentErrorCode.ETAG_MISMATCH,
        BATCH.read("a").replace(item("a", 2), WriteOptions.ifMatch(b.etag())));
    of(
        items.execute(
            BATCH
                .with(new BatchOperation.Read("b", WriteOptions.ifMatch(b.etag())))
                .patch(
                    "a",
                    List.of(new PatchOperation.Set("/n", 5)),
                    PatchOptions.DEFAULT.withIfMatch(a.etag()))));
    assertThat(of(items.read("a", ADA)).value().get("n").intValue()).isEqualTo(5);
  }

  @Test
  void limitsOperationsAndBytes() {
    TransactionalBatch full = BATCH;
    for (int i = 0; i < TransactionalBatch.MAX_OPERATIONS; i++) {
      full = full.create(item("i" + i, i));
    }
    assertThat(of(items.execute(full)).results()).hasSize(100);
    assertCode(DocumentErrorCode.LIMIT_EXCEEDED, items.execute(full.read("i1")));
    assertCode(DocumentErrorCode.INVALID_ARGUMENT, items.execute(BATCH));
    assertCode(
        DocumentErrorCode.INVALID_ARGUMENT,
        items.execute(TransactionalBatch.of(PartitionKey.NONE).read("i1")));
    ObjectNode large = item("large", 1).put("text", "x".repeat(1_500_000));
    assertCode(
        DocumentErrorCode.LIMIT_EXCEEDED,
        items.execute(BATCH.upsert(large).upsert(large).upsert(large)));
  }

  @Test
  void includesAndExcludesItemsByDirective() {
    WriteOptions out = WriteOptions.DEFAULT.withDirective(IndexingDirective.EXCLUDE);
    List<PatchOperation> increment = List.of(new PatchOperation.Increment("/n", 1));
    of(
        items.execute(
            BATCH
                .with(new BatchOperation.Create(item("a", 1), out))
                .with(new BatchOperation.Upsert(item("b", 1), out))
                .create(item("c", 1))
                .create(item("d", 1))));
    assertThat(indexed()).isEqualTo(2);
    of(items.execute(BATCH.replace(item("c", 2), out).patch("a", increment, PatchOptions.DEFAULT)));
    assertThat(indexed()).isEqualTo(1);
    PatchOptions in = new PatchOptions(null, null, IndexingDirective.INCLUDE);
    of(items.execute(BATCH.patch("a", increment, in)));
    assertThat(indexed()).isEqualTo(2);
    assertThat(all(items.query("SELECT * FROM c"))).hasSize(4);
  }

  /** Returns the number of items with index entries. */
  private long indexed() {
    return of(items.sizes()).indexes().stream()
        .filter(index -> index.index().equals("range:/n/?"))
        .mapToLong(CollectionSizes.IndexSize::entries)
        .sum();
  }

  @Test
  void movesUniqueValuesBetweenItems() {
    of(items.create(item("a", 1).put("u", "x")));
    of(items.create(item("b", 1).put("u", "y")));
    of(items.create(item("z", 1).put("u", "z")));

    assertFails(
        0,
        DocumentErrorCode.ITEM_EXISTS,
        BATCH.upsert(item("a", 2).put("u", "y")).upsert(item("b", 2).put("u", "x")));
    of(
        items.execute(
            BATCH
                .upsert(item("a", 2).put("u", "free"))
                .upsert(item("b", 2).put("u", "x"))
                .upsert(item("a", 3).put("u", "y"))));
    assertFails(
        2,
        DocumentErrorCode.ITEM_EXISTS,
        BATCH
            .create(item("c", 1))
            .create(item("d", 1).put("u", "q"))
            .create(item("e", 1).put("u", "q")));
    assertFails(
        1,
        DocumentErrorCode.ITEM_EXISTS,
        BATCH.create(item("c", 1)).create(item("d", 1).put("u", "z")).delete("d"));
    of(items.execute(BATCH.delete("z").create(item("d", 1).put("u", "z"))));
  }

  @Test
  void createsAndDeletesTheSameItem() {
    of(items.create(item("a", 1)));
    BatchResult<JsonNode> result =
        of(
            items.execute(
                BATCH
                    .delete("a")
                    .create(item("a", 2))
                    .create(item("b", 1))
                    .patch("b", new PatchOperation.Set("/n", 9))
                    .delete("b")));

    assertThat(result.results().get(3).item().value().get("n").intValue()).isEqualTo(9);
    assertThat(all(items.query("SELECT VALUE c.n FROM c")))
        .extracting(JsonNode::intValue)
        .containsExactly(2);
  }

  @Test
  void readsWithoutACommit() {
    Item<JsonNode> a = of(items.create(item("a", 1)));
    BatchResult<JsonNode> result = of(items.execute(BATCH.read("a").read("a")));

    assertThat(result.versionstamp()).isEqualTo(a.etag());
    assertThat(result.results()).extracting(BatchResult.Result::item).containsExactly(a, a);
  }

  @Test
  void treatsExpiredItemsAsAbsent() {
    of(items.create(item("a", 1).put("ttl", 1)));
    of(items.create(item("b", 1).put("ttl", 1).put("u", "taken")));
    clock.advance(2);
    TestStore.await( // over a connection, the clock is that of the server
        () -> orNull(items.read("a", ADA)) == null && orNull(items.read("b", ADA)) == null);

    assertFails(0, DocumentErrorCode.ITEM_NOT_FOUND, BATCH.read("a"));
    of(items.execute(BATCH.create(item("a", 2)).create(item("c", 2).put("u", "taken"))));
    assertThat(orNull(items.read("b", ADA))).isNull();
    assertThat(of(items.read("a", ADA)).value().get("n").intValue()).isEqualTo(2);
  }

  @Test
  void retriesBatchesInConflict() {
    of(items.execute(BATCH.create(item("a", 0)).create(item("b", 0))));
    TransactionalBatch move =
        BATCH
            .patch("a", new PatchOperation.Increment("/n", -1))
            .patch("b", new PatchOperation.Increment("/n", 1));
    Flux.range(0, 60).flatMap(i -> items.execute(move), 6).blockLast();

    assertThat(of(items.read("a", ADA)).value().get("n").intValue()).isEqualTo(-60);
    assertThat(of(items.read("b", ADA)).value().get("n").intValue()).isEqualTo(60);
  }

  @Test
  void readsAConsistentStateBesideWriters() {
    of(items.execute(BATCH.create(item("a", 0)).create(item("b", 0))));
    Flux<Integer> writers =
        Flux.range(1, 100)
            .concatMap(
                i -> items.execute(BATCH.upsert(item("a", i)).upsert(item("b", i))).thenReturn(i));
    Flux<Integer> readers =
        Flux.range(1, 100)
            .concatMap(i -> items.execute(BATCH.read("a").read("b")))
            .map(
                read ->
                    read.results().get(0).item().value().get("n").intValue()
                        - read.results().get(1).item().value().get("n").intValue());

    assertThat(Flux.zip(writers, readers, (i, difference) -> difference).collectList().block())
        .containsOnly(0);
  }

  @Test
  void patchesIfTheFilterMatches() {
    of(items.create(item("a", 5)));
    List<PatchOperation> take = List.of(new PatchOperation.Increment("/n", -1));
    for (String filter :
        List.of("FROM c WHERE c.n > 0", "c.n > 0", " from x where x.n = 3 AND IS_DEFINED(x._ts)")) {
      of(items.patch("a", ADA, take, PatchOptions.filter(filter)));
    }

    assertThat(of(items.read("a", ADA)).value().get("n").intValue()).isEqualTo(2);
    assertCode(
        DocumentErrorCode.CONDITION_NOT_MET,
        items.patch("a", ADA, take, PatchOptions.filter("c.n > 2")));
    assertCode(
        DocumentErrorCode.CONDITION_NOT_MET,
        items.patch("a", ADA, take, PatchOptions.filter("c.none")));
    assertCode(
        DocumentErrorCode.ITEM_NOT_FOUND, items.patch("b", ADA, take, PatchOptions.filter("true")));
  }

  @Test
  void decrementsNeverBelowTheFilter() {
    of(items.create(item("stock", 20)));
    List<PatchOperation> take = List.of(new PatchOperation.Increment("/n", -1));
    long taken =
        Flux.range(0, 30)
            .flatMap(
                i ->
                    items
                        .patch("stock", ADA, take, PatchOptions.filter("c.n > 0"))
                        .onErrorComplete(BatchContract::isNotMet),
                6)
            .count()
            .block();

    assertThat(taken).isEqualTo(20);
    assertThat(of(items.read("stock", ADA)).value().get("n").intValue()).isZero();
  }

  private static boolean isNotMet(Throwable e) {
    return e instanceof DocumentException known
        && known.code() == DocumentErrorCode.CONDITION_NOT_MET;
  }

  @Test
  void locatesErrorsInFilters() {
    of(items.create(item("a", 5)));
    Map<String, Integer> starts =
        Map.of("c.n = = 1", 6, "FROM c WHERE c.n = = 1", 19, "NOSUCH(c.n)", 0);
    starts.forEach(
        (filter, start) ->
            assertThatThrownBy(
                    () -> items.patch("a", ADA, STEP, PatchOptions.filter(filter)).block())
                .isInstanceOfSatisfying(
                    QueryException.class, e -> assertThat(e.start()).as(filter).isEqualTo(start)));
    for (String filter :
        List.of(
            "",
            "FROM c",
            "c.n > 1 ORDER BY c.n",
            "FROM c JOIN x IN c.xs WHERE true",
            "FROM x IN c.xs WHERE true",
            "true GROUP BY c.n",
            "c.n = @n")) {
      assertCode(
          DocumentErrorCode.INVALID_QUERY,
          items.patch("a", ADA, STEP, PatchOptions.filter(filter)));
    }
  }

  @Test
  void rejectsPatchesWithoutOperations() {
    Item<JsonNode> before = of(items.create(item("a", 5)));
    assertCode(
        DocumentErrorCode.INVALID_PATCH, items.patch("a", ADA, List.of(), PatchOptions.DEFAULT));
    assertFails(1, DocumentErrorCode.INVALID_PATCH, BATCH.read("a").patch("a"));
    assertThat(of(items.read("a", ADA))).isEqualTo(before);
  }

  @Test
  void patchesNoSystemProperties() {
    of(items.create(item("a", 5)));
    for (String path :
        List.of(
            "/id",
            "/_ts",
            "/_etag",
            "/_rid",
            "/_self",
            "/_attachments",
            "/_attachments/x",
            "/owner",
            "/owner/x")) {
      assertCode(
          DocumentErrorCode.INVALID_PATCH,
          items.patch(
              "a", ADA, List.of(new PatchOperation.Set(path, "ada")), PatchOptions.DEFAULT));
    }
    assertCode(
        DocumentErrorCode.INVALID_PATCH,
        items.patch(
            "a", ADA, List.of(new PatchOperation.Move("/owner", "/x")), PatchOptions.DEFAULT));
    assertCode(
        DocumentErrorCode.INVALID_PATCH,
        items.patch(
            "a", ADA, List.of(new PatchOperation.Move("/n", "/_rid")), PatchOptions.DEFAULT));
    of(items.patch("a", ADA, List.of(new PatchOperation.Move("/n", "/ttl")), PatchOptions.DEFAULT));
    assertThat(of(items.read("a", ADA)).value().get("ttl").intValue()).isEqualTo(5);
  }
}
