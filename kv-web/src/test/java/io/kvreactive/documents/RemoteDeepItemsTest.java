package io.kvreactive.documents;

import static io.kvreactive.documents.testkit.TestStore.all;
import static io.kvreactive.documents.testkit.TestStore.of;
import static io.kvreactive.documents.testkit.TestStore.orNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvError;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.testkit.TestStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;

/** Items of the maximum depth, and one level deeper, over a connection. */
class RemoteDeepItemsTest {
  private static final int MAX_DEPTH = 128;

  record Deep(String id, JsonNode a) {}

  private TestStore store;
  private DocumentServer server;
  private DocumentStore documents;
  private DocumentCollection<ObjectNode> remote;
  private DocumentCollection<ObjectNode> local; // the same collection, without a connection

  @BeforeEach
  void start() {
    store = TestStore.withOldValues();
    server = new DocumentServer(store);
    documents = server.connect();
    remote = documents.collection("deep", ObjectNode.class, CollectionDefinition.DEFAULT);
    local =
        DocumentStore.over(store.kv())
            .collection("deep", ObjectNode.class, CollectionDefinition.DEFAULT);
  }

  @AfterEach
  void end() {
    orNull(documents.close());
    server.stop();
    store.close();
  }

  private static JsonNode nested(int levels) {
    ArrayNode nested = JsonNodeFactory.instance.arrayNode();
    for (int i = 1; i < levels; i++) {
      nested = JsonNodeFactory.instance.arrayNode().add(nested);
    }
    return nested;
  }

  private static ObjectNode item(String id, int levels) {
    ObjectNode item = JsonNodeFactory.instance.objectNode().put("id", id);
    item.set("a", nested(levels - 1));
    return item;
  }

  private static JsonNode value(Item<ObjectNode> item) {
    return item.value().path("a");
  }

  private static <T> T first(Flux<T> stream) {
    return Objects.requireNonNull(stream.blockFirst(Duration.ofSeconds(60)));
  }

  @ParameterizedTest
  @ValueSource(ints = {MAX_DEPTH - 3, MAX_DEPTH - 2, MAX_DEPTH - 1, MAX_DEPTH})
  void readsAndStreamsWhatTheStoreAccepts(int levels) {
    JsonNode expected = nested(levels - 1);
    assertThat(value(of(remote.create(item("x", levels))))).isEqualTo(expected);
    assertThat(value(of(remote.upsert(item("x", levels))))).isEqualTo(expected);
    assertThat(value(of(remote.replace(item("x", levels))))).isEqualTo(expected);
    assertThat(of(remote.read("x"))).hasToString(of(local.read("x")).toString());
    assertThat(of(documents.collection("deep", Deep.class).read("x")).value().a())
        .isEqualTo(expected);

    assertThat(value(of(remote.patch("x", new PatchOperation.Set("/a", expected)))))
        .isEqualTo(expected);
    TransactionalBatch batch =
        TransactionalBatch.of(PartitionKey.NONE).upsert(item("x", levels)).read("x");
    assertThat(of(remote.execute(batch)).results())
        .allSatisfy(result -> assertThat(value(result.item())).isEqualTo(expected));
    all(remote.upsertMany(Flux.just(item("x", levels))));

    for (String sql :
        List.of("SELECT * FROM c", "SELECT c FROM c", "SELECT VALUE {\"b\": [[c], [c]]} FROM c")) {
      SqlQuery query = SqlQuery.of(sql);
      String rows = all(local.query(query, ObjectNode.class)).toString();
      assertThat(all(remote.query(query, ObjectNode.class))).hasSize(1).hasToString(rows);
      assertThat(of(remote.page(query, ObjectNode.class)).items()).hasToString(rows);
    }
    assertThat(all(remote.list(PartitionKey.NONE)))
        .hasToString(all(local.list(PartitionKey.NONE)).toString());
    assertThat(
            all(
                remote.query(
                    SqlQuery.of("SELECT * FROM c WHERE c.a = @a", Map.of("a", expected)),
                    ObjectNode.class)))
        .hasSize(1);
    assertThat(first(remote.watchQuery(SqlQuery.of("SELECT * FROM c"), ObjectNode.class)))
        .isInstanceOfSatisfying(
            QueryUpdate.Insert.class,
            insert -> assertThat(((ObjectNode) insert.row()).get("a")).isEqualTo(expected));

    ChangeFeedOptions all = ChangeFeedOptions.ALL.withSince(Versionstamp.ZERO);
    ChangePage<ObjectNode> page = of(local.changePage(all, 100));
    assertThat(page.commits()).hasSizeGreaterThan(5);
    assertThat(of(remote.changePage(all, 100))).hasToString(page.toString());
    assertThat(
            remote
                .changeFeed(all)
                .filter(commit -> !commit.isBookmark())
                .take(page.commits().size())
                .collectList()
                .block(Duration.ofSeconds(60)))
        .hasToString(page.commits().toString());
  }

  @Test
  void readsRowsOfTheMaximumDepthOfAQuery() {
    of(remote.create(item("x", MAX_DEPTH)));
    String sql = "SELECT VALUE " + "[".repeat(99) + "c" + "]".repeat(99) + " FROM c";
    String rows = all(local.query(SqlQuery.of(sql), JsonNode.class)).toString();
    assertThat(all(remote.query(SqlQuery.of(sql), JsonNode.class))).hasSize(1).hasToString(rows);
  }

  @Test
  void rejectsItemsOneLevelDeeper() {
    of(remote.create(item("x", 2)));
    ObjectNode tooDeep = item("x", MAX_DEPTH + 1);
    Stream.of(remote, local)
        .<Publisher<?>>flatMap(
            collection ->
                Stream.of(
                    collection.create(item("y", MAX_DEPTH + 1)),
                    collection.upsert(tooDeep),
                    collection.replace(tooDeep),
                    collection.patch("x", new PatchOperation.Set("/a", nested(MAX_DEPTH))),
                    collection.execute(TransactionalBatch.of(PartitionKey.NONE).upsert(tooDeep)),
                    collection.upsertMany(Flux.just(tooDeep))))
        .forEach(
            rejected ->
                assertThatThrownBy(() -> Flux.from(rejected).blockLast(Duration.ofSeconds(60)))
                    .isInstanceOfSatisfying(
                        RuntimeException.class,
                        e ->
                            assertThat(((KvError) e).code())
                                .as(e.getMessage())
                                .isEqualTo(DocumentErrorCode.ITEM_TOO_LARGE)));
    assertThat(all(local.query("SELECT * FROM c"))).hasSize(1);
  }
}
