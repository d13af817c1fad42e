package io.kvreactive.documents;

import static io.kvreactive.documents.testkit.TestStore.all;
import static io.kvreactive.documents.testkit.TestStore.of;
import static io.kvreactive.documents.testkit.TestStore.orNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.documents.internal.StoredKeys;
import io.kvreactive.documents.testkit.TestStore;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Operations on items, for any kind of store. */
abstract class CollectionContract {
  record Person(String id, String name, int age) {}

  private TestStore store;
  private DocumentStore index;
  private DocumentCollection<Person> people;

  abstract TestStore open();

  /** Returns the collections of the store, as the program under test uses them. */
  DocumentStore documents(TestStore of) {
    return DocumentStore.over(of.kv());
  }

  @BeforeEach
  void start() {
    store = open();
    index = documents(store);
    people = index.collection("people", Person.class, CollectionDefinition.DEFAULT);
  }

  @AfterEach
  void end() {
    orNull(index.close());
    store.close();
  }

  static void assertCode(DocumentErrorCode code, Publisher<?> publisher) {
    assertThatThrownBy(() -> Flux.from(publisher).blockLast())
        .isInstanceOfSatisfying(
            DocumentException.class, e -> assertThat(e.code()).as(e.getMessage()).isEqualTo(code));
  }

  @Test
  void readsCreatedItems() {
    Item<Person> created = of(people.create(new Person("a", "Jo", 18)));

    assertThat(created.value()).isEqualTo(new Person("a", "Jo", 18));
    assertThat(created.timestamp()).isBefore(Instant.now().plusSeconds(1));
    assertThat(of(people.read("a"))).isEqualTo(created);
    assertThat(orNull(people.read("b"))).isNull();
    StoredKeys.check(store.kv(), "people");
  }

  @Test
  void explainsAPageWithItsOperators() {
    of(people.create(new Person("a", "Jo", 18)));
    SqlQuery old = SqlQuery.of("SELECT * FROM c WHERE c.age > 17");

    QueryPage<Person> page =
        of(people.page(old.withOptions(QueryOptions.DEFAULT.withExplain(true)), Person.class));

    Explanation explanation = Objects.requireNonNull(page.explanation());
    assertThat(explanation.plan()).isEqualTo(of(people.explain(old)).plan());
    assertThat(Objects.requireNonNull(explanation.operators()).findValuesAsText("operator"))
        .containsExactly("page", "filter", "load", "preciseIndexScan");
    assertThat(of(people.explain(old)).operators()).isNull();
    assertThat(of(people.page(old, Person.class)).explanation()).isNull();
  }

  @Test
  void rejectsCreationOfAnExistingId() {
    of(people.create(new Person("a", "Jo", 18)));

    assertCode(DocumentErrorCode.ITEM_EXISTS, people.create(new Person("a", "Mo", 1)));
    assertThat(of(people.read("a")).value().name()).isEqualTo("Jo");
  }

  @Test
  void createsAndReplacesByUpsert() {
    of(people.upsert(new Person("a", "Jo", 18)));
    Item<Person> second = of(people.upsert(new Person("a", "Jo", 19)));

    assertThat(of(people.read("a"))).isEqualTo(second);
    StoredKeys.check(store.kv(), "people");
  }

  @Test
  void rejectsReplacementOfAnAbsentItem() {
    assertCode(DocumentErrorCode.ITEM_NOT_FOUND, people.replace(new Person("a", "Jo", 18)));
    of(people.create(new Person("a", "Jo", 18)));
    of(people.replace(new Person("a", "Al", 3)));

    assertThat(of(people.read("a")).value()).isEqualTo(new Person("a", "Al", 3));
    StoredKeys.check(store.kv(), "people");
  }

  @Test
  void deletesAllKeysOfAnItem() {
    of(people.create(new Person("a", "Jo", 18)));

    assertThat(orNull(people.delete("b"))).isNull();
    assertThat(orNull(people.delete("a"))).isNotNull();

    assertThat(orNull(people.delete("a"))).isNull();
    assertThat(orNull(people.read("a"))).isNull();
    StoredKeys.check(store.kv(), "people");
    of(people.create(new Person("a", "Jo", 18)));
    StoredKeys.check(store.kv(), "people");
  }

  @Test
  void checksConditionsOfWrites() {
    Item<Person> first = of(people.create(new Person("a", "Jo", 18)));
    WriteOptions atFirst = WriteOptions.ifMatch(first.etag());
    Item<Person> second = of(people.replace(new Person("a", "Jo", 19), atFirst));

    assertCode(DocumentErrorCode.ETAG_MISMATCH, people.replace(new Person("a", "No", 1), atFirst));
    assertCode(DocumentErrorCode.ETAG_MISMATCH, people.upsert(new Person("a", "No", 1), atFirst));
    assertCode(DocumentErrorCode.ETAG_MISMATCH, people.upsert(new Person("z", "No", 1), atFirst));
    assertCode(DocumentErrorCode.ETAG_MISMATCH, people.delete("a", PartitionKey.NONE, atFirst));
    assertThat(of(people.read("a"))).isEqualTo(second);
    of(people.delete("a", PartitionKey.NONE, WriteOptions.ifMatch(second.etag())));
  }

  record Event(String id, JsonObject data, LocalDate day, Instant at, Buffer body) {}

  @Test
  void storesTypesOfVertx() {
    DocumentCollection<JsonObject> json =
        index.collection("json", JsonObject.class, CollectionDefinition.DEFAULT);
    JsonObject document =
        new JsonObject()
            .put("id", "a")
            .put("tags", new JsonArray().add("x").add(new JsonObject().put("n", 1)))
            .put("at", Instant.EPOCH)
            .put("body", Buffer.buffer(new byte[] {-1, -2}));
    of(json.upsert(document));

    JsonObject read = of(json.read("a")).value();
    assertThat(read.getInstant("at")).isEqualTo(Instant.EPOCH);
    assertThat(read.getBuffer("body")).isEqualTo(Buffer.buffer(new byte[] {-1, -2}));
    assertThat(read.getJsonArray("tags")).isEqualTo(document.getJsonArray("tags"));
    SqlQuery query =
        SqlQuery.of(
                "SELECT VALUE c.tags FROM c WHERE c.tags = @tags AND c.at = @at AND c.body = @b")
            .with("@tags", document.getJsonArray("tags"))
            .with("@at", Instant.EPOCH)
            .with("@b", Buffer.buffer(new byte[] {-1, -2}));
    assertThat(all(json.query(query, JsonArray.class)))
        .isEqualTo(List.of(document.getJsonArray("tags")));
    assertThat(all(json.query(SqlQuery.of("SELECT VALUE c.body FROM c"), Buffer.class)))
        .isEqualTo(List.of(Buffer.buffer(new byte[] {-1, -2})));

    DocumentCollection<Event> events =
        index.collection("events", Event.class, CollectionDefinition.DEFAULT);
    Event event =
        new Event(
            "e",
            new JsonObject().put("a", 1),
            LocalDate.of(2026, 11, 26),
            Instant.EPOCH,
            Buffer.buffer("b"));
    of(events.upsert(event));
    assertThat(of(events.read("e")).value()).isEqualTo(event);
    assertThat(
            all(
                events.query(
                    SqlQuery.of("SELECT * FROM c WHERE c.day = @day AND c.data = @data")
                        .with("@day", event.day())
                        .with("@data", event.data()),
                    Event.class)))
        .isEqualTo(List.of(event));
  }

  @Test
  void rejectsObjectsThatAreNoDataWithTheirPlace() {
    DocumentCollection<Object> any =
        index.collection("any", Object.class, CollectionDefinition.DEFAULT);
    Map<String, Object> document = Map.of("id", "a", "jobs", List.of(new Thread()));
    assertThatThrownBy(() -> of(any.upsert(document)))
        .hasMessageContaining("value at /jobs/0: java.lang.Thread is not data");
    assertThatThrownBy(
            () ->
                all(
                    any.query(
                        SqlQuery.of("SELECT * FROM c WHERE c.a = @a")
                            .with("@a", List.of(Optional.of(new Thread()))),
                        JsonNode.class)))
        .hasMessageContaining("parameter @a: value at /0: java.lang.Thread is not data");
  }

  @Test
  void serializesConcurrentConditionalWrites() {
    DocumentCollection<ObjectNode> counters = index.collection("people", ObjectNode.class);
    of(people.create(new Person("a", "Jo", 0)));
    int writers = 8;
    int rounds = 20;
    Flux.range(0, writers)
        .flatMap(
            writer ->
                Mono.defer(
                        () ->
                            counters
                                .read("a")
                                .flatMap(
                                    item -> {
                                      ObjectNode more = item.value().deepCopy();
                                      more.put("age", more.get("age").intValue() + 1);
                                      return counters.replace(
                                          more, WriteOptions.ifMatch(item.etag()));
                                    }))
                    .retryWhen(
                        reactor.util.retry.Retry.indefinitely()
                            .filter(
                                e ->
                                    e instanceof DocumentException mismatch
                                        && mismatch.code() == DocumentErrorCode.ETAG_MISMATCH))
                    .repeat(rounds - 1),
            writers)
        .blockLast();

    assertThat(of(people.read("a")).value().age()).isEqualTo(writers * rounds);
    StoredKeys.check(store.kv(), "people");
  }

  @Test
  void completesConcurrentUnconditionalWrites() {
    int writers = 16;
    List<Item<Person>> written =
        TestStore.all(
            Flux.range(0, 200)
                .flatMap(i -> people.upsert(new Person("p" + i % 3, "n" + i, i)), writers));

    assertThat(written).hasSize(200);
    StoredKeys.check(store.kv(), "people");
  }

  @Test
  void overwritesSystemMembers() {
    DocumentCollection<JsonNode> nodes = index.collection("people", JsonNode.class);
    of(people.create(new Person("a", "Jo", 18)));
    ObjectNode forged =
        JsonNodeFactory.instance.objectNode().put("id", "a").put("_ts", 1).put("_etag", "x");
    Item<JsonNode> item = of(nodes.upsert(forged));

    assertThat(item.value().get("_etag").textValue()).isEqualTo(item.etag().toString());
    assertThat(item.value().get("_ts").longValue()).isEqualTo(item.timestamp().getEpochSecond());
    assertThat(of(nodes.read("a"))).isEqualTo(item);
    assertThat(forged.get("_ts").intValue()).as("what was handed in").isEqualTo(1);
  }

  @Test
  void storesDocumentsOfManyTypes() {
    @SuppressWarnings("unchecked")
    DocumentCollection<Map<String, Object>> maps =
        (DocumentCollection<Map<String, Object>>)
            (DocumentCollection<?>)
                index.collection("people", Map.class, CollectionDefinition.DEFAULT);
    of(maps.create(Map.of("id", "m", "big", 12345678901234567L, "list", List.of(1, "x"))));

    Map<String, Object> back = of(maps.read("m")).value();
    assertThat(back).containsEntry("big", 12345678901234567L).containsKey("_etag");
    assertThat(back.get("list")).isEqualTo(List.of(1, "x"));
  }

  @Test
  void keepsAllDigitsOfNumbers() {
    DocumentCollection<JsonNode> nodes =
        index.collection("people", JsonNode.class, CollectionDefinition.DEFAULT);
    String digits = "3.14159265358979323846264338327950288";
    ObjectNode node = JsonNodeFactory.instance.objectNode().put("id", "n");
    node.put("pi", new java.math.BigDecimal(digits))
        .put("i", new java.math.BigInteger("9".repeat(60)));
    List<JsonNode> found = new ArrayList<>();
    found.add(of(nodes.create(node)).value());
    found.add(of(nodes.read("n")).value());
    found.add(of(nodes.upsert(node)).value());
    found.add(of(nodes.patch("n", new PatchOperation.Set("/pi", node.get("pi")))).value());
    of(nodes.execute(TransactionalBatch.of(PartitionKey.NONE).upsert(node)));
    found.addAll(all(nodes.query("SELECT * FROM c")));
    all(nodes.load(Flux.just(node)));
    found.addAll(of(nodes.page(SqlQuery.of("SELECT * FROM c"), JsonNode.class)).items());
    Map<String, Object> parameters = Map.of("pi", new BigDecimal(digits));
    found.add(
        JsonNodeFactory.instance
            .objectNode()
            .<ObjectNode>set("i", node.get("i"))
            .set("pi", all(nodes.query("SELECT VALUE @pi FROM c", parameters)).get(0)));

    assertThat(found)
        .hasSize(7)
        .allSatisfy(
            read -> {
              assertThat(read.get("pi").decimalValue().toPlainString()).isEqualTo(digits);
              assertThat(read.get("i").bigIntegerValue().toString()).isEqualTo("9".repeat(60));
            });
  }

  @Test
  void keepsDoublesAsDoubles() {
    DocumentCollection<JsonNode> nodes =
        index.collection("people", JsonNode.class, CollectionDefinition.DEFAULT);
    List<Double> numbers = new ArrayList<>(List.of(0.1, -0.0, 1e300, 5e-324, 1e-290, 0x1p-1022));
    new Random(7).doubles(100).forEach(numbers::add);
    ObjectNode node = JsonNodeFactory.instance.objectNode().put("id", "n");
    numbers.forEach(number -> node.withArray("numbers").add(number));
    of(nodes.create(node));

    JsonNode read = of(nodes.read("n")).value().get("numbers");
    assertThat(read).allMatch(JsonNode::isDouble);
    assertThat(read).extracting(JsonNode::doubleValue).containsExactlyElementsOf(numbers);
  }

  @Test
  void rejectsInvalidDocuments() {
    DocumentCollection<Object> any =
        index.collection("people", Object.class, CollectionDefinition.DEFAULT);
    List<Object> wrong = new ArrayList<>();
    wrong.add("text");
    wrong.add(List.of());
    wrong.add(Map.of("name", "without id"));
    wrong.add(Map.of("id", 7));
    wrong.add(Map.of("id", ""));
    wrong.add(Map.of("id", "a/b"));
    wrong.add(Map.of("id", "a\\b"));
    wrong.add(Map.of("id", "é".repeat(512)));
    wrong.add(Map.of("id", "a", "ttl", 0));
    wrong.add(Map.of("id", "a", "ttl", -2));
    wrong.add(Map.of("id", "a", "ttl", 1.5));
    wrong.add(Map.of("id", "a", "ttl", "1"));
    wrong.add(Map.of("id", "a", "ttl", 3_000_000_000L));
    wrong.add(Map.of("id", "a", "n", Double.NaN));
    wrong.add(Map.of("id", "a", "n", new BigDecimal("10e2147483647")));
    wrong.add(Map.of("id", "a", "n", List.of(new BigDecimal("-0.1e-2147483646"))));
    for (Object document : wrong) {
      assertCode(DocumentErrorCode.INVALID_ITEM, any.create(document));
      assertCode(DocumentErrorCode.INVALID_ITEM, any.upsert(document));
    }
    of(any.create(Map.of("id", "é".repeat(511))));
    of(any.create(Map.of("id", "a", "n", 1.5)));
    assertThat(orNull(any.read("a"))).isNotNull();
    StoredKeys.check(store.kv(), "people");
  }

  @Test
  void rejectsNumbersBeyondDoubles() {
    DocumentCollection<Object> any =
        index.collection("people", Object.class, CollectionDefinition.DEFAULT);
    List<Number> beyond =
        List.of(
            new BigDecimal("1e400"),
            new BigDecimal("-12e999999998"),
            new BigDecimal(Double.MAX_VALUE).multiply(BigDecimal.TEN).toBigInteger(),
            Double.POSITIVE_INFINITY);
    of(any.create(Map.of("id", "a", "n", Double.MAX_VALUE)));
    for (Number number : beyond) {
      assertCode(DocumentErrorCode.INVALID_ITEM, any.upsert(Map.of("id", "a", "n", number)));
      assertCode(
          DocumentErrorCode.INVALID_ITEM, any.upsert(Map.of("id", "a", "n", List.of(number))));
      assertCode(
          DocumentErrorCode.INVALID_ITEM, any.patch("a", new PatchOperation.Set("/n", number)));
      assertCode(
          DocumentErrorCode.INVALID_ITEM,
          any.patch("a", new PatchOperation.Increment("/m", number)));
    }
    assertCode(
        DocumentErrorCode.INVALID_ITEM,
        any.patch("a", new PatchOperation.Increment("/n", Double.MAX_VALUE)));
    StoredKeys.check(store.kv(), "people");
  }

  @Test
  void rejectsDocumentsThatAreTooLarge() {
    DocumentCollection<Object> any =
        index.collection("people", Object.class, CollectionDefinition.DEFAULT);
    assertCode(
        DocumentErrorCode.ITEM_TOO_LARGE, any.create(Map.of("id", "a", "x", "y".repeat(2 << 20))));
    ObjectNode deep = JsonNodeFactory.instance.objectNode().put("id", "a");
    ObjectNode node = deep;
    for (int i = 0; i < 100_000; i++) {
      node = node.putObject("d");
    }
    assertCode(DocumentErrorCode.ITEM_TOO_LARGE, any.create(deep));
    assertCode(
        DocumentErrorCode.ITEM_TOO_LARGE,
        any.create(Map.of("id", "a", "n", new java.math.BigInteger("9".repeat(2000)))));
    of(any.create(Map.of("id", "big", "x", "y".repeat((2 << 20) - 100))));
    assertThat(orNull(any.read("big"))).isNotNull();
  }

  @Test
  void changesPartsByPatch() {
    DocumentCollection<JsonNode> nodes =
        index.collection("people", JsonNode.class, CollectionDefinition.DEFAULT);
    ObjectNode node = JsonNodeFactory.instance.objectNode().put("id", "a").put("n", 1);
    node.putArray("tags").add("x").add("y");
    node.putObject("address").put("city", "Oslo");
    of(nodes.create(node));

    JsonNode patched =
        of(nodes.patch(
                "a",
                new PatchOperation.Increment("/n", 2),
                new PatchOperation.Increment("/m", 5),
                new PatchOperation.Add("/tags/1", "between"),
                new PatchOperation.Add("/tags/-", "last"),
                new PatchOperation.Replace("/address/city", "Bergen"),
                new PatchOperation.Set("/address/zip", null),
                new PatchOperation.Move("/address", "/home"),
                new PatchOperation.Remove("/tags/0")))
            .value();

    assertThat(patched.get("n").intValue()).isEqualTo(3);
    assertThat(patched.get("m").intValue()).isEqualTo(5);
    assertThat(patched.get("tags").toString()).isEqualTo("[\"between\",\"y\",\"last\"]");
    assertThat(patched.get("home").toString()).isEqualTo("{\"city\":\"Bergen\",\"zip\":null}");
    assertThat(patched.has("address")).isFalse();
    assertThat(of(nodes.read("a")).value()).isEqualTo(patched);
    StoredKeys.check(store.kv(), "people");
  }

  @Test
  void tellsCreatedFromReplacedItems() {
    UpsertResult<Person> created = of(people.put(new Person("a", "Jo", 18), WriteOptions.DEFAULT));
    assertThat(created.isCreated()).isTrue();
    assertThat(of(people.read("a"))).isEqualTo(created.item());
    UpsertResult<Person> replaced = of(people.put(new Person("a", "Jo", 19), WriteOptions.DEFAULT));
    assertThat(replaced.isCreated()).isFalse();
    assertThat(of(people.read("a"))).isEqualTo(replaced.item());
    of(people.delete("a"));
    assertThat(of(people.put(new Person("a", "Jo", 20), WriteOptions.DEFAULT)).isCreated())
        .isTrue();
  }

  @Test
  void rejectsInvalidPatchesWithoutChanges() {
    Item<Person> before = of(people.create(new Person("a", "Jo", 18)));
    List<PatchOperation> wrong =
        List.of(
            new PatchOperation.Replace("/nothing", 1),
            new PatchOperation.Remove("/nothing"),
            new PatchOperation.Increment("/name", 1),
            new PatchOperation.Set("name", 1),
            new PatchOperation.Set("/name/first", 1),
            new PatchOperation.Set("/id", "b"),
            new PatchOperation.Move("/nothing", "/x"),
            new PatchOperation.Set("/x".repeat(1000), 1));
    for (PatchOperation operation : wrong) {
      assertCode(
          DocumentErrorCode.INVALID_PATCH,
          people.patch("a", new PatchOperation.Set("/age", 99), operation));
    }
    assertThat(of(people.read("a"))).isEqualTo(before);
    assertCode(
        DocumentErrorCode.ITEM_NOT_FOUND, people.patch("b", new PatchOperation.Set("/age", 99)));
  }

  @Test
  void appliesConcurrentPatches() {
    of(people.create(new Person("a", "Jo", 0)));
    Flux.range(0, 100)
        .flatMap(i -> people.patch("a", new PatchOperation.Increment("/age", 1)), 10)
        .blockLast();

    assertThat(of(people.read("a")).value().age()).isEqualTo(100);
  }

  @Test
  void separatesIdsByPartition() {
    DocumentCollection<JsonNode> orders =
        index.collection(
            "orders", JsonNode.class, CollectionDefinition.DEFAULT.withPartitionKey("/customer"));
    of(orders.create(order("1", "x")));
    of(orders.create(order("1", "y")));
    of(orders.create(order("1", null)));

    assertCode(DocumentErrorCode.ITEM_EXISTS, orders.create(order("1", "x")));
    assertThat(of(orders.read("1", PartitionKey.of("y"))).value().get("customer").textValue())
        .isEqualTo("y");
    assertThat(of(orders.read("1", PartitionKey.of((Object) null))).value().has("customer"))
        .isFalse();
    assertCode(DocumentErrorCode.INVALID_ARGUMENT, orders.read("1"));
    assertCode(DocumentErrorCode.INVALID_ARGUMENT, orders.read("1", PartitionKey.of("x", "y")));
    assertCode(DocumentErrorCode.INVALID_ARGUMENT, orders.read("1", PartitionKey.of(List.of())));
    of(orders.delete("1", PartitionKey.of("x"), WriteOptions.DEFAULT));
    assertThat(orNull(orders.read("1", PartitionKey.of("x")))).isNull();
    of(orders.create(order("2", "z".repeat(2048))));
    assertThat(orNull(orders.read("2", PartitionKey.of("z".repeat(2048))))).isNotNull();
    assertCode(DocumentErrorCode.ITEM_TOO_LARGE, orders.create(order("3", "z".repeat(2049))));
    StoredKeys.check(store.kv(), "orders");
  }

  private static JsonNode order(String id, String customer) {
    ObjectNode node = JsonNodeFactory.instance.objectNode().put("id", id);
    return customer == null ? node : node.put("customer", customer);
  }

  @Test
  void enforcesUniqueValuesWithinAPartition() {
    DocumentCollection<JsonNode> users =
        index.collection(
            "users",
            JsonNode.class,
            CollectionDefinition.DEFAULT
                .withPartitionKey("/pk")
                .withUniqueKeys(UniqueKey.of("/email")));
    of(users.create(user("1", "p", "a@b")));

    assertCode(DocumentErrorCode.ITEM_EXISTS, users.create(user("2", "p", "a@b")));
    assertCode(DocumentErrorCode.ITEM_EXISTS, users.upsert(user("2", "p", "a@b")));
    of(users.create(user("2", "q", "a@b")));
    of(users.create(user("3", "p", null)));
    assertCode(DocumentErrorCode.ITEM_EXISTS, users.create(user("4", "p", null)));
    of(users.upsert(user("1", "p", "c@d")));
    of(users.create(user("5", "p", "a@b")));
    assertCode(DocumentErrorCode.ITEM_EXISTS, users.replace(user("1", "p", "a@b")));
    of(users.delete("5", PartitionKey.of("p"), WriteOptions.DEFAULT));
    of(users.replace(user("1", "p", "a@b")));
    StoredKeys.check(store.kv(), "users");
  }

  private static JsonNode user(String id, String pk, String email) {
    ObjectNode node = JsonNodeFactory.instance.objectNode().put("id", id).put("pk", pk);
    return email == null ? node : node.put("email", email);
  }

  @Test
  void allowsOneOfConcurrentWritesOfAUniqueValue() {
    DocumentCollection<JsonNode> users =
        index.collection(
            "users",
            JsonNode.class,
            CollectionDefinition.DEFAULT.withUniqueKeys(UniqueKey.of("/email")));
    long created =
        of(
            Flux.range(0, 50)
                .flatMap(
                    i ->
                        users
                            .create(user("u" + i, "p", "e" + i % 5))
                            .map(item -> 1)
                            .onErrorResume(DocumentException.class, e -> Mono.empty()),
                    16)
                .count());

    assertThat(created).isEqualTo(5);
    StoredKeys.check(store.kv(), "users");
  }

  @Test
  void writesOnlyEntriesThatDiffer() {
    of(people.create(new Person("a", "Jo", 18)));
    var before = StoredKeys.view(store.kv(), "people");
    KvRange entries = KvRange.prefix(KvKey.of("kvi", before.record().id(), "E1"));
    var since = of(people.read("a")).etag();

    var written = of(people.upsert(new Person("a", "Jo", 19)));
    var changes =
        of(store.kv().changes(entries, since).filter(commit -> !commit.changes().isEmpty()).next());

    // old and new entry of age, and those of _ts if the clock moved to the next second
    assertThat(changes.changes().size()).isIn(2, 4);
    assertThat(changes.versionstamp()).isEqualTo(written.etag());
  }

  @Test
  void excludesItemsFromIndexesByDirective() {
    Item<Person> out =
        of(
            people.create(
                new Person("a", "Jo", 18),
                WriteOptions.DEFAULT.withDirective(IndexingDirective.EXCLUDE)));
    var view = StoredKeys.view(store.kv(), "people");
    assertThat(StoredKeys.keys(store.kv(), view, "E1")).isEmpty();
    assertThat(of(people.read("a"))).isEqualTo(out);

    of(people.upsert(new Person("a", "Jo", 18)));
    assertThat(StoredKeys.keys(store.kv(), view, "E1")).isNotEmpty();
    of(
        people.upsert(
            new Person("a", "Jo", 18),
            WriteOptions.DEFAULT.withDirective(IndexingDirective.EXCLUDE)));
    assertThat(StoredKeys.keys(store.kv(), view, "E1")).isEmpty();
    of(people.patch("a", new PatchOperation.Set("/age", 1)));
    assertThat(StoredKeys.keys(store.kv(), view, "E1")).as("a patch keeps it out").isEmpty();
    StoredKeys.check(store.kv(), "people");
  }

  @Test
  void indexesOnlyIncludedItemsWithoutAutomatic() {
    DocumentCollection<Person> manual =
        index.collection("manual", Person.class, IndexingPolicy.DEFAULT.withAutomatic(false));
    of(manual.create(new Person("a", "Jo", 18)));
    var view = StoredKeys.view(store.kv(), "manual");
    assertThat(StoredKeys.keys(store.kv(), view, "E1")).isEmpty();
    of(
        manual.create(
            new Person("b", "Jo", 18),
            WriteOptions.DEFAULT.withDirective(IndexingDirective.INCLUDE)));
    assertThat(StoredKeys.keys(store.kv(), view, "E1")).isNotEmpty();
    StoredKeys.check(store.kv(), "manual");
  }

  @Test
  void reportsExactSizes() {
    for (int i = 0; i < 10; i++) {
      of(people.create(new Person("p" + i, "n" + i, i)));
    }
    CollectionSizes sizes = of(people.sizes());
    var view = StoredKeys.view(store.kv(), "people");

    assertThat(sizes.items()).isEqualTo(10);
    assertThat(sizes.reclaimableBytes()).isZero();
    assertThat(sizes.indexes())
        .extracting(CollectionSizes.IndexSize::index)
        .contains("range:/name/?", "range:/age/?", "range:/id/?", "range:/_ts/?");
    long bytes =
        StoredKeys.keys(store.kv(), view, "E1").stream().mapToLong(key -> key.bytes().length).sum();
    assertThat(sizes.indexBytes()).isEqualTo(bytes);
    assertThat(sizes.dataBytes()).isPositive();
    for (int i = 0; i < 10; i++) {
      of(people.delete("p" + i));
    }
    assertThat(of(people.sizes())).isEqualTo(new CollectionSizes(0, 0, 0, 0, List.of(), 0));
  }

  @Test
  void limitsTheNumberOfPathsInSizes() {
    DocumentCollection<ObjectNode> free =
        index.collection("free", ObjectNode.class, CollectionDefinition.DEFAULT);
    int names = 1300;
    for (int from = 0; from < names; from += 130) {
      ObjectNode item = JsonNodeFactory.instance.objectNode().put("id", "i" + from);
      for (int i = from; i < from + 130; i++) {
        item.put("m" + i, i);
      }
      of(free.create(item.put("large", "x".repeat(1500))));
    }
    CollectionSizes sizes = of(free.sizes());

    assertThat(sizes.indexes()).hasSize(CollectionSizes.MAX_PATHS + 1);
    assertThat(sizes.furtherPaths()).isEqualTo(names + 3 - CollectionSizes.MAX_PATHS);
    assertThat(sizes.indexes())
        .extracting(CollectionSizes.IndexSize::index)
        .contains("range:/id/?", "range:/_ts/?", "range:/large/?", "range:*");
    var entries = StoredKeys.keys(store.kv(), StoredKeys.view(store.kv(), "free"), "E1");
    assertThat(sizes.indexes().stream().mapToLong(CollectionSizes.IndexSize::entries).sum())
        .isEqualTo(entries.size());
    assertThat(sizes.indexBytes())
        .isEqualTo(entries.stream().mapToLong(key -> key.bytes().length).sum())
        .isEqualTo(sizes.indexes().stream().mapToLong(CollectionSizes.IndexSize::bytes).sum());
    assertThat(sizes.reclaimableBytes()).isZero();
  }
}
