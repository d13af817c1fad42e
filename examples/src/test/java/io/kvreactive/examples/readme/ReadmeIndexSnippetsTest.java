package io.kvreactive.examples.readme;

import static io.kvreactive.examples.MemoryStore.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.kvreactive.Kv;
import io.kvreactive.LoadProgress;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.BatchException;
import io.kvreactive.documents.BatchResult;
import io.kvreactive.documents.ChangeFeedOptions;
import io.kvreactive.documents.ChangePage;
import io.kvreactive.documents.ChangeProcessor;
import io.kvreactive.documents.ChangeProcessorOptions;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.CompositePath;
import io.kvreactive.documents.ComputedProperty;
import io.kvreactive.documents.Definitions;
import io.kvreactive.documents.DeleteProgress;
import io.kvreactive.documents.DocumentCollection;
import io.kvreactive.documents.DocumentStore;
import io.kvreactive.documents.Explanation;
import io.kvreactive.documents.IndexingPolicy;
import io.kvreactive.documents.Item;
import io.kvreactive.documents.ItemChanges;
import io.kvreactive.documents.PartitionKey;
import io.kvreactive.documents.PatchOperation;
import io.kvreactive.documents.PatchOptions;
import io.kvreactive.documents.QueryOptions;
import io.kvreactive.documents.QueryPage;
import io.kvreactive.documents.QueryUpdate;
import io.kvreactive.documents.RecordStore;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.documents.TransactionalBatch;
import io.kvreactive.documents.TransformationProgress;
import io.kvreactive.examples.MemoryStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Runs the Java of the guide about collections and records, like {@link ReadmeSnippetsTest}. */
class ReadmeIndexSnippetsTest {
  @RegisterExtension final MemoryStore store = new MemoryStore();
  private final Sinks.Many<String> mailed = Sinks.many().replay().all();
  private Kv kv;

  private static final ObjectMapper JSON = new ObjectMapper();

  // snippet: record
  record User(String id, String city, int age, String email, String color) {}

  // end

  @BeforeEach
  void setUp() {
    kv = store.kv();
  }

  @Test
  void collections() {
    User ada = new User("ada", "Oslo", 36, "ada@example.com", "blue");
    User bob = new User("bob", "Oslo", 25, "bob@example.com", "red");
    // snippet: collection
    IndexingPolicy policy =
        Definitions.parsePolicy(
            """
            {"includedPaths": [{"path": "/*"}], "excludedPaths": [{"path": "/email/?"}],
             "compositeIndexes": [[{"path": "/city"}, {"path": "/age", "order": "descending"}]]}
            """);
    DocumentCollection<User> users = DocumentStore.over(kv).collection("users", User.class, policy);

    Mono<Item<User>> created = users.create(ada); // the item and its index entries in one commit
    Flux<User> oldest =
        users.query(
            "SELECT * FROM c WHERE c.city = @city AND c.age > @age ORDER BY c.city, c.age DESC",
            Map.of("city", "Oslo", "age", 30));
    // end
    assertThat(await(created).id()).isEqualTo("ada");
    await(users.create(bob));
    assertThat(await(oldest.collectList())).containsExactly(ada);
    // snippet: explain
    Mono<Explanation> plan =
        users.explain(SqlQuery.of("SELECT * FROM c WHERE c.city = 'Oslo' AND c.age > 30"));
    // end
    assertThat(await(plan).plan().path("access").path(0).path("kind").asText())
        .isEqualTo("composite");
    // snippet: replace
    IndexingPolicy more =
        policy.withComposite(CompositePath.ascending("/color"), CompositePath.ascending("/age"));
    Flux<TransformationProgress> building =
        users.replaceDefinition(CollectionDefinition.DEFAULT.withIndexingPolicy(more));
    // end
    assertThat(await(building.last()).percent()).isEqualTo(100);
    // snippet: computed
    CollectionDefinition lower =
        CollectionDefinition.DEFAULT
            .withIndexingPolicy(policy.withIncluded("/cp_city/?"))
            .withComputedProperties(
                new ComputedProperty("cp_city", "SELECT VALUE LOWER(c.city) FROM c"));
    Flux<User> found =
        users
            .replaceDefinition(lower)
            .thenMany(
                users.query("SELECT * FROM c WHERE c.cp_city = @city", Map.of("city", "oslo")));
    // end
    assertThat(await(found.collectList())).containsExactlyInAnyOrder(ada, bob);
  }

  @Test
  void batches() {
    // snippet: batch
    CollectionDefinition byCustomer = CollectionDefinition.DEFAULT.withPartitionKey("/customer");
    DocumentCollection<JsonNode> orders =
        DocumentStore.over(kv).collection("orders", JsonNode.class, byCustomer);
    PartitionKey customer = PartitionKey.of("ada");
    Mono<BatchResult<JsonNode>> placed =
        orders.execute(
            TransactionalBatch.of(customer)
                .create(Map.of("id", "order-1", "customer", "ada", "total", 30))
                .patch(
                    "account",
                    List.of(new PatchOperation.Increment("/credit", -30)),
                    PatchOptions.filter("c.credit >= 30")));
    Flux<JsonNode> large =
        orders.query(
            SqlQuery.of("SELECT * FROM c WHERE c.total > 20")
                .withOptions(QueryOptions.DEFAULT.withPartitionKey(customer)),
            JsonNode.class);
    Mono<Long> deleted = orders.deleteAll(customer);
    // end
    await(
        orders.create(
            JsonNodeFactory.instance
                .objectNode()
                .put("id", "account")
                .put("customer", "ada")
                .put("credit", 40)));
    assertThat(await(placed).results()).hasSize(2);
    assertThatThrownBy(() -> await(placed)).isInstanceOf(BatchException.class);
    assertThat(await(large.collectList())).hasSize(1);
    assertThat(await(deleted)).isEqualTo(2);

    // snippet: patch
    Mono<Item<JsonNode>> delivered =
        orders.patch(
            "order-1",
            PartitionKey.of("ada"),
            List.of(
                new PatchOperation.Move("/parcel", "/delivered"),
                new PatchOperation.Set("/status", "DELIVERED")),
            PatchOptions.filter("c.status = 'SHIPPED'")); // otherwise CONDITION_NOT_MET
    // end
    await(
        orders.create(
            JsonNodeFactory.instance
                .objectNode()
                .put("id", "order-1")
                .put("customer", "ada")
                .put("parcel", "p-1")
                .put("status", "SHIPPED")));
    assertThat(await(delivered).value().path("delivered").asText()).isEqualTo("p-1");
    assertThatThrownBy(() -> await(delivered)).hasMessageContaining("CONDITION_NOT_MET");
  }

  @Test
  void changes() {
    DocumentCollection<User> users =
        DocumentStore.over(kv)
            .collection(
                "users", User.class, CollectionDefinition.DEFAULT.withPartitionKey("/city"));
    Flux<User> manyUsers =
        Flux.range(0, 20).map(i -> new User("u" + i, i % 2 == 0 ? "Oslo" : "Rome", i, "e", "blue"));
    // snippet: many
    Flux<LoadProgress> stored = users.upsertMany(manyUsers);
    Flux<DeleteProgress> deleted =
        users.deleteMany(SqlQuery.of("SELECT * FROM c WHERE c.age < @age", Map.of("age", 18)));
    // end
    assertThat(await(stored.last()).entries()).isEqualTo(20);
    // snippet: feed
    ChangeFeedOptions options =
        ChangeFeedOptions.ALL // every version and delete; LATEST: latest versions only
            .withSince(Versionstamp.ZERO)
            .withPartitionKey(PartitionKey.of("Oslo"));
    Flux<ItemChanges<User>> changes = users.changeFeed(options);
    Mono<ChangePage<User>> page = users.changePage(options, 100);
    // end
    assertThat(await(changes.next()).changes()).isNotEmpty();
    assertThat(await(page).commits().stream().mapToInt(commit -> commit.changes().size()).sum())
        .isEqualTo(10);
    // snippet: processor
    ChangeProcessor member =
        users.changeProcessor(
            "mailing",
            ChangeProcessorOptions.DEFAULT.withSince(Versionstamp.ZERO),
            commits -> Flux.fromIterable(commits).concatMap(commit -> mail(commit)));
    Mono<Void> started = member.start(); // and member.close()
    // end
    await(started);
    assertThat(await(mailed.asFlux().take(20).collectList())).contains("u0", "u19");
    await(member.close());
    assertThat(await(deleted.last()).deleted()).isEqualTo(18);
  }

  private Mono<Void> mail(ItemChanges<User> commit) {
    return Mono.fromRunnable(
        () ->
            commit
                .changes()
                .forEach(
                    change ->
                        mailed.emitNext(
                            change.id(),
                            Sinks.EmitFailureHandler.busyLooping(Duration.ofSeconds(10)))));
  }

  @Test
  void queries() {
    DocumentCollection<User> users =
        DocumentStore.over(kv).collection("users", User.class, CollectionDefinition.DEFAULT);
    await(users.create(new User("ada", "Oslo", 36, "ada@example.com", "blue")));
    // snippet: queries
    SqlQuery inOslo = SqlQuery.of("SELECT * FROM c WHERE c.city = @city", Map.of("city", "Oslo"));
    Flux<User> rows = users.query(inOslo, User.class);
    Mono<QueryPage<User>> page = users.page(inOslo, User.class); // rows and a continuation
    Mono<Explanation> plan = users.explain(inOslo); // which indexes serve, and why not others
    Flux<QueryUpdate<User>> live = users.watchQuery(inOslo, User.class); // rows, then changes
    // end
    assertThat(await(rows.collectList())).hasSize(1);
    assertThat(await(page).items()).hasSize(1);
    assertThat(await(plan).plan().path("access").size()).isEqualTo(1);
    assertThat(await(live.next())).isNotNull();
  }

  private record CityCount(String city, int people, int adults) {}

  @Test
  void groups() {
    DocumentCollection<User> users =
        DocumentStore.over(kv).collection("users", User.class, CollectionDefinition.DEFAULT);
    await(users.create(new User("ada", "Oslo", 36, "ada@example.com", "blue")));
    await(users.create(new User("bob", "Oslo", 7, "bob@example.com", "red")));
    // snippet: groups
    Flux<CityCount> cities =
        users.query(
            SqlQuery.of(
                "SELECT c.city, COUNT(1) AS people, COUNTIF(c.age >= 18) AS adults"
                    + " FROM c GROUP BY c.city"),
            CityCount.class); // record CityCount(String city, int people, int adults) {}
    Flux<String> names =
        users.query(
            SqlQuery.of("SELECT DISTINCT VALUE c.city FROM c ORDER BY c.city"), String.class);
    Mono<Integer> oldest =
        users.query(SqlQuery.of("SELECT VALUE MAX(c.age) FROM c"), Integer.class).next();
    // end
    assertThat(await(cities.collectList())).containsExactly(new CityCount("Oslo", 2, 1));
    assertThat(await(names.collectList())).containsExactly("Oslo");
    assertThat(await(oldest)).isEqualTo(36);
  }

  @Test
  void spatialAndVectorSearch() {
    Map<String, Object> here = point(10.2, 59.74);
    List<Double> vector = List.of(0.0, 0.9, 0.0);
    // snippet: nearby
    CollectionDefinition definition =
        Definitions.parse(
            """
            {"indexingPolicy": {
              "includedPaths": [{"path": "/*"}], "excludedPaths": [{"path": "/v/*"}],
              "spatialIndexes": [{"path": "/location/?", "types": ["Point"]}],
              "vectorIndexes": [{"path": "/v", "type": "diskANN"}]},
             "vectorEmbeddingPolicy": {"vectorEmbeddings": [{"path": "/v", "dataType": "float32",
              "dimensions": 3, "distanceFunction": "cosine"}]}}
            """);
    DocumentCollection<JsonNode> places =
        DocumentStore.over(kv).collection("places", JsonNode.class, definition);

    SqlQuery nearby =
        SqlQuery.of(
            "SELECT TOP 10 * FROM c ORDER BY ST_DISTANCE(c.location, @here)", Map.of("here", here));
    SqlQuery similar =
        SqlQuery.of("SELECT TOP 10 * FROM c ORDER BY VectorDistance(c.v, @q)", Map.of("q", vector));
    Flux<JsonNode> rows = places.query(nearby, JsonNode.class); // the closest first
    // end
    Map.of("rome", List.of(12.5, 41.9), "oslo", List.of(10.75, 59.91))
        .forEach(
            (id, at) ->
                await(
                    places.create(
                        JSON.valueToTree(
                            Map.of(
                                "id",
                                id,
                                "location",
                                point(at.get(0), at.get(1)),
                                "v",
                                List.of(id.equals("oslo") ? 1 : 0, 1, 0))))));
    assertThat(await(rows.collectList()))
        .extracting(row -> row.get("id").asText())
        .containsExactly("oslo", "rome");
    assertThat(await(places.query(similar, JsonNode.class).collectList()))
        .extracting(row -> row.get("id").asText())
        .containsExactly("rome", "oslo");
    assertThat(await(places.explain(nearby)).plan().at("/orderBy/nearestFirst").asBoolean())
        .isTrue();
  }

  private static Map<String, Object> point(double longitude, double latitude) {
    return Map.of("type", "Point", "coordinates", List.of(longitude, latitude));
  }

  @Test
  void records() {
    User ada = new User("ada", "Oslo", 36, "ada@example.com", "blue");
    // snippet: records
    RecordStore<User> users =
        RecordStore.of(kv, "users", User.class, User::id)
            .unique("email", User::email)
            .index("color", User::color);
    Mono<User> found = users.insert(ada).then(users.findBy("email", "ada@example.com"));
    Flux<User> blue = users.listBy("color", "blue").take(10);
    // end
    assertThat(await(found)).isEqualTo(ada);
    assertThat(await(blue.collectList())).containsExactly(ada);
  }
}
