package io.kvreactive.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvEntry;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvU64;
import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.value.ValueMapper;
import io.kvreactive.value.JsBoxed;
import io.kvreactive.value.JsDate;
import io.kvreactive.value.JsUndefined;
import io.netty.buffer.Unpooled;
import io.vertx.core.MultiMap;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.core.json.jackson.DatabindCodec;
import java.io.ByteArrayInputStream;
import java.io.StringReader;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Mono;

/** Forms of Java objects as values and as documents, and rejected types. */
class DataTypesTest {
  private static final ValueMapper VALUES = new ValueMapper();
  private static final ObjectMapper DOCUMENTS = JsonSyntax.beans().build();

  record Job(String name, @Nullable Object work) {}

  record Event(JsonObject data, JsonArray tags, Buffer body, LocalDate day, Instant at) {}

  static final class Handle implements Iterator<String> {
    private final String text;

    Handle(String text) {
      this.text = text;
    }

    @JsonValue
    public String text() {
      return text;
    }

    @Override
    public boolean hasNext() {
      return false;
    }

    @Override
    public String next() {
      throw new UnsupportedOperationException();
    }
  }

  static Stream<Object> noData() {
    Runnable lambda = () -> {};
    return Stream.of(
        new Thread(),
        Thread.class,
        new Object(),
        new ByteArrayInputStream(new byte[1]),
        new StringReader("a"),
        List.of(1).iterator(),
        Stream.of(1),
        IntStream.of(1),
        Mono.just(1),
        new CompletableFuture<>(),
        io.vertx.core.Future.succeededFuture(1),
        Promise.promise(),
        new ReentrantLock(),
        ForkJoinPool.commonPool(),
        lambda,
        new BitSet(),
        new IllegalStateException("no"),
        new HttpServerOptions(),
        MultiMap.caseInsensitiveMultiMap(),
        Unpooled.wrappedBuffer(new byte[1]),
        DataTypesTest.class.getClassLoader());
  }

  /** The place of an object that is not data: alone, in a map, a list, a record and JSON. */
  private static Map<String, Object> places(Object object) {
    Map<String, Object> places = new LinkedHashMap<>();
    places.put("value of type " + object.getClass().getName(), object);
    places.put("value at /a/0/work", Map.of("a", List.of(new Job("b", object))));
    places.put("value at /work/a/1", new Job("b", Map.of("a", List.of(1, object))));
    places.put("value at /a~1b/work/1", Map.of("a/b", new Job("c", new Object[] {1, object})));
    places.put(
        "value at /a/0/b", new JsonObject().put("a", new JsonArray().add(Map.of("b", object))));
    places.put(
        "value at /work/0/a", new Job("b", new JsonArray().add(new JsonObject().put("a", object))));
    places.put("value at /work", new Job("b", Optional.of(object)));
    return places;
  }

  @ParameterizedTest
  @MethodSource("noData")
  void rejectsObjectsThatAreNotData(Object object) {
    places(object)
        .forEach(
            (place, value) ->
                assertThatThrownBy(() -> VALUES.encode(value))
                    .as(place)
                    .isInstanceOfSatisfying(
                        KvException.class,
                        e -> assertThat(e.code()).isEqualTo(KvErrorCode.INVALID_VALUE))
                    .hasMessageContaining(place)
                    .hasMessageContaining(
                        object.getClass().getName() + " is not data (expected: "));
    places(object)
        .forEach(
            (place, value) ->
                assertThatThrownBy(() -> DOCUMENTS.valueToTree(value))
                    .hasMessageContaining(
                        object.getClass().getName() + " is not data (expected: "));
  }

  @Test
  void rejectsKeysOfMapsThatHaveNoText() {
    assertThatThrownBy(() -> VALUES.encode(new Job("a", Map.of(new Job("b", 1), 2))))
        .hasMessageContaining("value at /work")
        .hasMessageContaining("Job");
    assertThatThrownBy(() -> DOCUMENTS.valueToTree(Map.of(new Thread(), 2)))
        .hasMessageContaining("java.lang.Thread is not data");
    UUID id = new UUID(1, 2);
    assertThat(DOCUMENTS.<JsonNode>valueToTree(Map.of(id, 2)).path(id.toString()).intValue())
        .isEqualTo(2);
    assertThat(DOCUMENTS.<JsonNode>valueToTree(Map.of(7, 2)).path("7").intValue()).isEqualTo(2);
  }

  @Test
  void acceptsAClassWithAFormOfItsOwn() {
    assertThat(VALUES.decode(VALUES.encode(new Handle("a")), Object.class)).isEqualTo("a");
  }

  private static Object stored(@Nullable Object value) {
    Object read = VALUES.decode(VALUES.encode(value), Object.class);
    return read == null ? "null" : read;
  }

  @Test
  void storesJsonOfVertxAsJson() {
    JsonObject json =
        new JsonObject()
            .put("int", 5)
            .put("long", 5L)
            .put("millis", 1_795_132_800_000L)
            .put("large", Long.MAX_VALUE)
            .put("double", 1.5)
            .put("decimal", new BigDecimal("2.5"))
            .put("text", "a")
            .put("yes", true)
            .putNull("none")
            .put("at", Instant.EPOCH)
            .put("bytes", Buffer.buffer(new byte[] {-1, -2}))
            .put("map", Map.of("a", 6L))
            .put("list", List.of(7L))
            .put("object", new JsonObject().put("array", new JsonArray().add(1).addNull()));
    Map<String, Object> natural = new LinkedHashMap<>();
    natural.put("int", 5);
    natural.put("long", 5);
    natural.put("millis", 1_795_132_800_000.0);
    natural.put("large", BigInteger.valueOf(Long.MAX_VALUE));
    natural.put("double", 1.5);
    natural.put("decimal", 2.5);
    natural.put("text", "a");
    natural.put("yes", true);
    natural.put("none", null);
    natural.put("at", JsDate.of(Instant.EPOCH));
    natural.put("bytes", new byte[] {-1, -2});
    natural.put("map", Map.of("a", 6));
    natural.put("list", List.of(7));
    natural.put("object", Map.of("array", Arrays.asList(1, null)));
    assertThat(stored(json)).usingRecursiveComparison().isEqualTo(natural);
    assertThat(stored(new Job("a", json)))
        .usingRecursiveComparison()
        .isEqualTo(Map.of("name", "a", "work", natural));

    JsonObject read = VALUES.decode(VALUES.encode(json), JsonObject.class);
    assertThat(read).isEqualTo(json);
    assertThat(read.getInstant("at")).isEqualTo(Instant.EPOCH);
    assertThat(read.getBinary("bytes")).isEqualTo(new byte[] {-1, -2});
    assertThat(read.getLong("large")).isEqualTo(Long.MAX_VALUE);
    assertThat(read.encode()).contains("\"millis\":1795132800000,");
    JsonArray array = new JsonArray().add(json).add(1).add(new JsonArray().add("a"));
    assertThat(VALUES.decode(VALUES.encode(array), JsonArray.class)).isEqualTo(array);
    assertThat(VALUES.decode(VALUES.encode(List.of(json, 1, List.of("a"))), JsonArray.class))
        .isEqualTo(array);
  }

  @Test
  void storesBuffersAsBytes() {
    byte[] bytes = {1, 2};
    KvValue value = VALUES.encode(Buffer.buffer(bytes));
    assertThat(value).isEqualTo(VALUES.encode(bytes));
    assertThat(VALUES.decode(value, Buffer.class)).isEqualTo(Buffer.buffer(bytes));
    assertThat(stored(Map.of("a", Buffer.buffer(bytes))))
        .usingRecursiveComparison()
        .isEqualTo(Map.of("a", bytes));
    assertThat(VALUES.decode(VALUES.encode(ByteBuffer.wrap(bytes)), ByteBuffer.class))
        .isEqualTo(ByteBuffer.wrap(bytes));
  }

  @Test
  void readsRecordsWithTypesOfVertx() throws Exception {
    Event event =
        new Event(
            new JsonObject().put("a", new JsonArray().add(1)),
            new JsonArray().add("b"),
            Buffer.buffer(new byte[] {-1, -2}),
            LocalDate.of(2026, 11, 26),
            Instant.EPOCH);
    assertThat(VALUES.decode(VALUES.encode(event), Event.class)).isEqualTo(event);
    String json = DOCUMENTS.writeValueAsString(event);
    assertThat(json)
        .isEqualTo(
            """
            {"data":{"a":[1]},"tags":["b"],"body":"__4","day":"2026-11-26",\
            "at":"1970-01-01T00:00:00Z"}\
            """);
    assertThat(DOCUMENTS.readValue(json, Event.class)).isEqualTo(event);
    assertThat(DOCUMENTS.readValue("\"//4=\"", Buffer.class)).isEqualTo(event.body());
  }

  @Test
  void writesDocumentsOfVertxAsVertxDoes() throws Exception {
    JsonObject json =
        new JsonObject()
            .put("at", Instant.EPOCH)
            .put("bytes", new byte[] {-1, -2})
            .put("buffer", Buffer.buffer("a"))
            .put("nested", new JsonArray().add(Map.of("at", Instant.EPOCH)))
            .put("large", new BigInteger("123456789012345678901234567890"));
    assertThat(DOCUMENTS.writeValueAsString(json)).isEqualTo(json.encode());
    JsonObject read = DOCUMENTS.readValue(json.encode(), JsonObject.class);
    assertThat(read.encode()).isEqualTo(json.encode());
    assertThat(read.getBinary("bytes")).isEqualTo(new byte[] {-1, -2});
    assertThatThrownBy(() -> DOCUMENTS.readValue("[1]", JsonObject.class))
        .hasMessageContaining("JsonObject");
  }

  @Test
  void storesOtherTypesAsDocumented() {
    assertThat(stored(new UUID(1, 2))).isEqualTo("00000000-0000-0001-0000-000000000002");
    assertThat(stored(URI.create("a:b"))).isEqualTo("a:b");
    assertThat(stored(LocalDate.EPOCH)).isEqualTo("1970-01-01");
    assertThat(stored(Path.of("/a")).toString()).endsWith("/a");
    assertThat(stored(new AtomicLong(5))).isEqualTo(BigInteger.valueOf(5));
    LongAdder adder = new LongAdder();
    adder.add(5);
    assertThat(stored(adder)).isEqualTo(BigInteger.valueOf(5));
    assertThat(stored(Optional.of(1))).isEqualTo(1);
    assertThat(stored(Optional.empty())).isEqualTo("null");
    assertThat(stored(Map.entry("a", 1))).isEqualTo(Map.of("a", 1));
  }

  @Test
  void rejectsNumbersOfJsonThatNoDoubleRepresents() {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.putArray("a").add(new BigDecimal("1e400"));
    for (Object json :
        List.of(node, new JsonObject().put("a", List.of(new BigDecimal("1e2000000000"))))) {
      assertThatThrownBy(() -> VALUES.encode(json))
          .hasMessageContaining("(expected: a number from -1.79");
    }
  }

  @Test
  void rejectsJsonThatContainsItself() {
    List<Object> list = new ArrayList<>();
    list.add(list);
    assertThatThrownBy(() -> VALUES.encode(new JsonArray(list)))
        .isInstanceOf(KvException.class)
        .hasMessageContaining("contains itself");
  }

  /** The types that programs return from handlers have a form in every mapper. */
  @Test
  void haveAFormInMappersOfPrograms() throws Exception {
    KvKey key = KvKey.of("users", 12, 5L, true, new byte[] {1});
    Versionstamp stamp = Versionstamp.of(7);
    KvEntry<Job> entry =
        new KvEntry<>(key, new Job("a", 1), stamp, Instant.ofEpochMilli(5), Versionstamp.of(8));
    for (ObjectMapper mapper : List.of(new JsonMapper(), DatabindCodec.mapper(), DOCUMENTS)) {
      assertThat(mapper.writeValueAsString(entry))
          .isEqualTo(
              """
              {"key":["users",12,{"$bigint":"5"},true,{"$bytes":"AQ=="}],\
              "value":{"name":"a","work":1},"versionstamp":"00000000000000070000","expireAt":5,\
              "snapshot":"00000000000000080000"}\
              """);
      assertThat(
              mapper.readValue(
                  mapper.writeValueAsBytes(entry), new TypeReference<KvEntry<Job>>() {}))
          .isEqualTo(entry);
      assertThat(mapper.readValue("\"[\\\"a\\\"]\"", KvKey.class)).isEqualTo(KvKey.of("a"));
      assertThat(mapper.writeValueAsString(Map.of(KvKey.of("a"), KvU64.of(5))))
          .isEqualTo("{\"[\\\"a\\\"]\":5}");
      assertThat(mapper.readValue("{\"[\\\"a\\\"]\":5}", new TypeReference<Map<KvKey, KvU64>>() {}))
          .isEqualTo(Map.of(KvKey.of("a"), KvU64.of(5)));
      assertThat(
              mapper.writeValueAsString(
                  Arrays.asList(JsDate.of(Instant.EPOCH), JsUndefined.UNDEFINED, new JsBoxed("a"))))
          .isEqualTo("[\"1970-01-01T00:00:00Z\",null,\"a\"]");
      assertThatThrownBy(() -> mapper.readValue("\"12\"", Versionstamp.class))
          .hasMessageContaining("20 hex digits");
      assertThatThrownBy(() -> mapper.readValue("[null]", KvKey.class))
          .hasMessageContaining("(expected: ");
    }
    KvEntry<Job> absent = new KvEntry<>(KvKey.of("a"), null, null, null, stamp);
    assertThat(JsonObject.mapFrom(absent).encode())
        .isEqualTo("{\"key\":[\"a\"],\"value\":null,\"snapshot\":\"00000000000000070000\"}");
  }

  record Reference(KvKey key, Versionstamp stamp, KvU64 count) {}

  @Test
  void storesKeysAndVersionstamps() {
    Reference reference =
        new Reference(KvKey.of("a", 5L, new byte[] {1}), Versionstamp.of(7), KvU64.of(5));
    assertThat(stored(reference))
        .usingRecursiveComparison()
        .isEqualTo(
            Map.of(
                "key",
                List.of("a", Map.of("$bigint", "5"), Map.of("$bytes", "AQ==")),
                "stamp",
                "00000000000000070000",
                "count",
                BigInteger.valueOf(5)));
    assertThat(VALUES.decode(VALUES.encode(reference), Reference.class)).isEqualTo(reference);
    assertThat(VALUES.decode(VALUES.encode(reference.key()), KvKey.class))
        .isEqualTo(reference.key());
  }
}
