package io.kvreactive.web.internal.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.ByteString;
import io.kvreactive.KvKey;
import io.kvreactive.connect.wire.AtomicWrite;
import io.kvreactive.connect.wire.Enqueue;
import io.kvreactive.connect.wire.KvValue;
import io.kvreactive.connect.wire.Mutation;
import io.kvreactive.connect.wire.MutationType;
import io.kvreactive.connect.wire.ReadRange;
import io.kvreactive.connect.wire.SnapshotRead;
import io.kvreactive.connect.wire.ValueEncoding;
import io.kvreactive.web.ServerOptions;
import io.kvreactive.web.TestServer;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Numbers and times at the ends of their ranges are accepted or rejected, and never cause a
 * failure.
 */
@ExtendWith(VertxExtension.class)
class ExtremeNumbersTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final HttpClient CLIENT = HttpClient.newHttpClient();
  private static final List<String> NUMBERS =
      List.of(
          "-9223372036854775808",
          "-9223372036854775809",
          "9223372036854775807",
          "9223372036854775806",
          "9223372036854775808",
          "99999999999999999999999999999999999999999999999999999999999999999999999999999999",
          "9007199254740992",
          "8640000000000000",
          "4611686018427387904",
          "2147483648",
          "2147483647",
          "-2147483649",
          "-1",
          "0",
          "-0",
          "1.5",
          "1e308",
          "-1e308",
          "1e400",
          "1e-400",
          "NaN",
          "Infinity",
          "\"NaN\"",
          "\"9223372036854775807\"",
          "\"\"",
          "null",
          "true",
          "[9223372036854775807]",
          "{\"$bigint\":\"9223372036854775807\"}");
  private static final List<String> TIMES =
      List.of(
          "+1000000000-12-31T23:59:59.999999999Z",
          "-1000000000-01-01T00:00:00Z",
          "+292278994-08-17T07:12:55.807Z",
          "+292278994-08-17T07:12:55.808Z",
          "+292278995-01-01T00:00:00Z",
          "-292275055-05-16T16:47:04.192Z",
          "+10000-01-01T00:00:00Z",
          "9999-12-31T23:59:59.999999999Z",
          "9999-12-31T23:59:59.999Z",
          "1970-01-01T00:00:00Z",
          "1969-12-31T23:59:59.999Z",
          "2400-02-30T00:00:00Z",
          "9223372036854775807",
          "NaN",
          "");

  @TempDir static Path directory;
  private static TestServer server;

  @BeforeAll
  static void start(Vertx vertx) throws Exception {
    server = TestServer.start(vertx, ServerOptions.at(directory));
    expect(200, "PUT", "/api/v1/entry?key=%5B%22k%22%5D", "1");
    expect(201, "PUT", "/api/v1/collections/c", "{\"defaultTtl\":-1}");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static void expect(int status, String method, String path, String body) throws Exception {
    HttpResponse<String> answer = send(method, path, body);
    assertThat(answer.statusCode()).as(method + " " + path + " " + answer.body()).isEqualTo(status);
  }

  private static HttpResponse<String> send(String method, String path, String body)
      throws Exception {
    String type =
        path.contains("/import") || path.contains("/load")
            ? "application/x-ndjson"
            : "application/json";
    return server.send(
        method,
        path,
        body,
        r -> {
          r.setHeader("Content-Type", type);
          return path.contains("/changes") ? r.setHeader("Accept", "application/json") : r;
        });
  }

  /** A request with a number or time in the place of {@code @}. */
  private record Case(String method, String path, String name, String query, String body) {
    HttpResponse<String> send(String value) throws Exception {
      String encoded = URLEncoder.encode(value, StandardCharsets.UTF_8);
      String uri = query.isEmpty() ? path : path + "?" + query.replace("@", encoded);
      uri =
          uri.replace("{collection}", "c")
              .replace("{id}", "i")
              .replace("{name}", "t")
              .replace("{group}", "g");
      return ExtremeNumbersTest.send(method, uri, body.replace("@", value));
    }

    String id() {
      return method + " " + path + " " + name;
    }
  }

  private static final String KEY = "key=%5B%22k%22%5D&";
  private static final String MUTATION = "{\"mutations\":[{\"type\":\"%s\",\"key\":[\"m\"],%s}]}";
  private static final String ENQUEUE =
      "{\"mutations\":[],\"enqueues\":[{\"queue\":\"q\",\"value\":1,%s}]}";

  private static Case asked(String route, String member) {
    return of(
        "POST",
        "/api/v1/collections/{collection}/" + route,
        member,
        "",
        "{\"query\":\"SELECT * FROM c WHERE c.id = 'none'\",\"" + member + "\":@}");
  }

  private static final List<Case> CASES =
      List.of(
          of("PUT", "/api/v1/entry", "expireIn", KEY + "expireIn=@", "1"),
          of("PUT", "/api/v1/entry", "expireAt", KEY + "expireAt=@", "1"),
          of("POST", "/api/v1/entry/touch", "expireIn", KEY + "expireIn=@", ""),
          of("POST", "/api/v1/entry/touch", "expireAt", KEY + "expireAt=@", ""),
          of(
              "POST",
              "/api/v1/collections/{collection}/load",
              "ttl",
              "",
              "{\"id\":\"l\",\"ttl\":@}"),
          of(
              "PUT",
              "/api/v1/collections/{collection}/items/{id}",
              "ttl",
              "",
              "{\"id\":\"i\",\"ttl\":@}"),
          of(
              "PUT",
              "/api/v1/collections/{collection}/items",
              "ttl",
              "id=%22i%22",
              "{\"id\":\"i\",\"ttl\":@}"),
          of("GET", "/api/v1/collections/{collection}/changes", "limit", "limit=@", ""),
          of(
              "PUT",
              "/api/v1/collections/{collection}/groups/{group}",
              "ranges",
              "",
              "{\"ranges\":@}"),
          of(
              "GET",
              "/api/v1/collections/{collection}/partition",
              "limit",
              "partitionKey=1&limit=@",
              ""),
          of(
              "POST",
              "/api/v1/collections/{collection}/batch",
              "partitionKey",
              "",
              "{\"partitionKey\":@,\"operations\":[{\"op\":\"read\",\"id\":\"i\"}]}"),
          of(
              "POST",
              "/api/v1/collections/{collection}/batch",
              "ttl",
              "",
              "{\"operations\":[{\"op\":\"upsert\",\"item\":{\"id\":\"b\",\"ttl\":@}}]}"),
          asked("query", "partitionKey"),
          asked("delete", "maxItemCount"),
          asked("delete", "maxPageBytes"),
          asked("delete", "partitionKey"),
          of("GET", "/api/v1/entries", "limit", "limit=@", ""),
          of("GET", "/api/v1/export", "limit", "limit=@", ""),
          of("GET", "/api/v1/tree", "limit", "limit=@", ""),
          of("GET", "/api/v1/changes", "limit", "since=00000000000000000000&limit=@", ""),
          of("GET", "/api/v1/changes", "waitMs", "since=00000000000000000000&waitMs=@", ""),
          atomic("set", "\"value\":1,\"expireIn\":@", "expireIn"),
          atomic("set", "\"value\":1,\"expireAt\":@", "expireAt"),
          atomic("setSuffixed", "\"value\":1,\"expireIn\":@", "expireIn"),
          atomic("setSuffixed", "\"value\":1,\"expireAt\":@", "expireAt"),
          atomic("touch", "\"expireIn\":@", "expireIn"),
          atomic("touch", "\"expireAt\":@", "expireAt"),
          atomic("set", "\"value\":@", "value"),
          atomic("sum", "\"value\":@", "value"),
          atomic("sum", "\"value\":1,\"min\":@", "min"),
          atomic("sum", "\"value\":1,\"max\":@,\"clamp\":true", "max"),
          atomic("min", "\"value\":@", "value"),
          atomic("max", "\"value\":@", "value"),
          of("POST", "/api/v1/atomic", "delay", "", ENQUEUE.formatted("\"delay\":@")),
          of("POST", "/api/v1/atomic", "backoff", "", ENQUEUE.formatted("\"backoff\":[@]")),
          of("POST", "/api/v1/enqueue", "delay", "", "{\"value\":1,\"delay\":@}"),
          of("POST", "/api/v1/enqueue", "backoff", "", "{\"value\":1,\"backoff\":[@]}"),
          of("POST", "/api/v1/queue/claim", "max", "", "{\"queue\":\"q\",\"max\":@}"),
          of("POST", "/api/v1/queue/claim", "leaseMs", "", "{\"queue\":\"q\",\"leaseMs\":@}"),
          of("POST", "/api/v1/queue/claim", "waitMs", "", "{\"queue\":\"none\",\"waitMs\":@}"),
          of("POST", "/api/v1/queue/nack", "afterMs", "", "{\"lease\":\"x\",\"afterMs\":@}"),
          of("POST", "/api/v1/queue/extend", "leaseMs", "", "{\"leases\":[\"x\"],\"leaseMs\":@}"),
          of("POST", "/api/v1/tokens/{name}/rotate", "graceMs", "", "{\"graceMs\":@}"),
          of(
              "POST",
              "/api/v1/import",
              "expireAt",
              "",
              "{\"key\":[\"i\"],\"value\":1,\"expireAt\":@}"),
          definition("defaultTtl", "{\"defaultTtl\":@}"),
          definition("version", "{\"partitionKey\":{\"paths\":[\"/p\"],\"version\":@}}"),
          box("xmin", "@", "0", "10", "10"),
          box("ymin", "0", "@", "10", "10"),
          box("xmax", "0", "0", "@", "10"),
          box("ymax", "0", "0", "10", "@"),
          vectors("dimensions", "@", "\"type\":\"flat\""),
          vectors(
              "quantizationByteSize", "8", "\"type\":\"quantizedFlat\",\"quantizationByteSize\":@"),
          vectors(
              "indexingSearchListSize", "8", "\"type\":\"diskANN\",\"indexingSearchListSize\":@"),
          of(
              "POST",
              "/api/v1/collections/{collection}/items",
              "ttl",
              "",
              "{\"id\":\"t\",\"ttl\":@,\"n\":@}"),
          query("maxItemCount", "{\"query\":\"SELECT * FROM c\",\"maxItemCount\":@}"),
          query("maxPageBytes", "{\"query\":\"SELECT * FROM c\",\"maxPageBytes\":@}"),
          query("parameters", parameter("SELECT VALUE @p + 1 FROM c")),
          query("parameters", parameter("SELECT * FROM c OFFSET @p LIMIT 1")),
          query("parameters", parameter("SELECT * FROM c OFFSET 0 LIMIT @p")),
          query("parameters", parameter("SELECT TOP @p * FROM c")),
          query("parameters", parameter("SELECT VALUE TimestampToDateTime(@p) FROM c")),
          query("parameters", parameter("SELECT VALUE TicksToDateTime(@p) FROM c")),
          query(
              "parameters",
              parameter("SELECT VALUE DateTimeAdd('yyyy', @p, '2020-01-01T00:00:00Z') FROM c")),
          query(
              "parameters",
              parameter("SELECT VALUE DateTimeFromParts(@p, @p, 1, @p, 1, 1, @p) FROM c")),
          query(
              "parameters",
              parameter("SELECT VALUE DateTimeBin('2020-01-01T00:00:00Z', 'd', @p) FROM c")),
          query("parameters", parameter("SELECT VALUE REPLICATE('a', @p) FROM c")),
          query("parameters", parameter("SELECT VALUE SUBSTRING('abc', @p, @p) FROM c")),
          query("parameters", parameter("SELECT VALUE INTBITLEFTSHIFT(@p, @p) FROM c")),
          query("parameters", parameter("SELECT VALUE ROUND(@p, @p) FROM c")),
          query("query", "{\"query\":\"SELECT VALUE @ FROM c\"}"),
          query("query", "{\"query\":\"SELECT TOP @ * FROM c\"}"),
          query("query", "{\"query\":\"SELECT * FROM c OFFSET @ LIMIT @\"}"),
          query("query", "{\"query\":\"SELECT * FROM c WHERE c.n > @ AND c.ttl = @\"}"));

  private static Case of(String method, String path, String name, String query, String body) {
    return new Case(method, path, name, query, body);
  }

  private static Case definition(String name, String body) {
    return of("PUT", "/api/v1/collections/{collection}", name, "", body);
  }

  private static Case box(String name, String xmin, String ymin, String xmax, String ymax) {
    return definition(
        name,
        """
        {"geospatialConfig":{"type":"Geometry"},"indexingPolicy":{"spatialIndexes":[
         {"path":"/at/?","types":["Point"],
          "boundingBox":{"xmin":%s,"ymin":%s,"xmax":%s,"ymax":%s}}]}}"""
            .formatted(xmin, ymin, xmax, ymax));
  }

  private static Case vectors(String name, String dimensions, String index) {
    return definition(
        name,
        """
        {"indexingPolicy":{"vectorIndexes":[{"path":"/v",%s}]},
         "vectorEmbeddingPolicy":{"vectorEmbeddings":[{"path":"/v","dataType":"float32",
          "dimensions":%s,"distanceFunction":"cosine"}]}}"""
            .formatted(index, dimensions));
  }

  private static Case atomic(String type, String fields, String name) {
    return of("POST", "/api/v1/atomic", name, "", MUTATION.formatted(type, fields));
  }

  private static Case query(String name, String body) {
    return of("POST", "/api/v1/collections/{collection}/query", name, "", body);
  }

  private static String parameter(String sql) {
    return "{\"query\":\"%s\",\"parameters\":[{\"name\":\"@p\",\"value\":VALUE}]}".formatted(sql);
  }

  @Test
  void acceptsOrRejectsNumbersOfEveryRoute() throws Exception {
    expect(201, "POST", "/api/v1/tokens", "{\"name\":\"t\",\"access\":[\"READ\"]}");
    List<String> failures = new ArrayList<>();
    for (Case each : CASES) {
      for (String number : NUMBERS) {
        Case one = each;
        String value = number;
        if (each.body.contains("VALUE}")) {
          one =
              of(
                  each.method,
                  each.path,
                  each.name,
                  "",
                  each.body.replace(":VALUE}", ":" + number + "}"));
          value = "@"; // parameters of the query remain
        }
        HttpResponse<String> answer = one.send(value);
        if (answer.statusCode() < 200
            || answer.statusCode() >= 500
            || answer.body().contains("\"INTERNAL\"")) {
          failures.add(each.id() + " " + number + ": " + answer.statusCode() + answer.body());
        }
      }
    }
    assertThat(failures).isEmpty();
    for (String path : List.of("entries", "changes?since=00000000000000000000", "info", "stats")) {
      expect(200, "GET", "/api/v1/" + path, "");
    }
    expect(200, "GET", "/api/v1/export", "");
    expect(200, "GET", "/api/v1/tokens", "");
  }

  /** Returns the numbers of requests in the description of the interface. */
  @Test
  void triesEveryNumberOfTheInterface() {
    Set<String> described = new TreeSet<>();
    Described.DOCUMENT
        .get("paths")
        .properties()
        .forEach(
            path ->
                path.getValue()
                    .properties()
                    .forEach(
                        method -> {
                          String at = method.getKey().toUpperCase() + " " + path.getKey() + " ";
                          numbers(at, method.getValue(), described);
                        }));
    Set<String> tried = new HashSet<>();
    CASES.forEach(each -> tried.add(each.id()));
    assertThat(described).hasSizeGreaterThan(20).isSubsetOf(tried);
  }

  private static void numbers(String at, JsonNode operation, Set<String> found) {
    for (JsonNode parameter : operation.path("parameters")) {
      JsonNode resolved = resolve(parameter);
      if (isNumber(resolve(resolved.path("schema")))) {
        found.add(at + resolved.path("name").asText());
      }
    }
    for (JsonNode content : operation.path("requestBody").path("content")) {
      walk(at, "", content.path("schema"), found, new HashSet<>());
    }
  }

  private static void walk(
      String at, String name, JsonNode schema, Set<String> found, Set<String> seen) {
    String ref = schema.path("$ref").asText();
    if (schema.isMissingNode()) {
      return;
    }
    if (!ref.isEmpty() && !seen.add(ref + name)) {
      return;
    }
    if (ref.endsWith("/Key") || ref.endsWith("/Value")) {
      return; // any JSON
    }
    JsonNode resolved = resolve(schema);
    if (isNumber(resolved)) {
      found.add(at + name);
    }
    walk(at, name, resolved.path("items"), found, seen);
    resolved
        .path("properties")
        .properties()
        .forEach(p -> walk(at, p.getKey(), p.getValue(), found, seen));
    for (String union : List.of("oneOf", "anyOf", "allOf")) {
      resolved.path(union).forEach(part -> walk(at, name, part, found, seen));
    }
  }

  private static boolean isNumber(JsonNode schema) {
    JsonNode type = schema.path("type");
    List<String> types = new ArrayList<>();
    types.add(type.asText());
    type.forEach(each -> types.add(each.asText()));
    return types.contains("integer") || types.contains("number");
  }

  private static JsonNode resolve(JsonNode schema) {
    String ref = schema.path("$ref").asText();
    return ref.isEmpty() ? schema : resolve(Described.DOCUMENT.at(ref.substring(1)));
  }

  @Test
  void boundsTheExpiryOfTokensWithoutBreakingTheirUse() throws Exception {
    int name = 0;
    for (String time : TIMES) {
      String body =
          "{\"name\":\"n%d\",\"access\":[\"READ\"],\"expiresAt\":\"%s\"}".formatted(name++, time);
      HttpResponse<String> made = send("POST", "/api/v1/tokens", body);
      assertThat(made.statusCode()).as(time + made.body()).isIn(201, 400);
      if (made.statusCode() == 201) {
        assertThat(time).isIn("9999-12-31T23:59:59.999Z", "1970-01-01T00:00:00Z");
      }
    }
  }

  /** A file of tokens that an earlier version has written, with expiries that it accepted. */
  @Test
  void acceptsFileTokensWithExtremeExpiry(Vertx vertx) throws Exception {
    Path folder = Files.createDirectory(directory.resolve("old"));
    try (TestServer first = TestServer.start(vertx, ServerOptions.at(folder))) {
      assertThat(
              first
                  .post(
                      "/api/v1/tokens",
                      "{\"name\":\"t\",\"access\":[\"READ\"],\"expiresAt\":\"2999-01-01T00:00:00Z\"}")
                  .statusCode())
          .isEqualTo(201);
    }
    Path file = folder.resolve("tokens.json");
    String written = Files.readString(file);
    for (String time : TIMES.subList(0, 11)) {
      if (time.startsWith("1") || time.startsWith("-")) {
        continue; // has ended
      }
      Files.writeString(file, written.replace("2999-01-01T00:00:00Z", time));
      try (TestServer again = TestServer.start(vertx, ServerOptions.at(folder))) {
        HttpResponse<String> rotated = again.post("/api/v1/tokens/t/rotate", "");
        assertThat(rotated.statusCode()).as(rotated.body()).isEqualTo(200);
        String secret = JSON.readTree(rotated.body()).path("token").asText();
        HttpResponse<String> info =
            again.send(
                "GET", "/api/v1/info", "", r -> r.setHeader("Authorization", "Bearer " + secret));
        assertThat(info.statusCode()).as(time + info.body()).isEqualTo(200);
        assertThat(JSON.readTree(info.body()).at("/grant/expiresAt").asLong()).isPositive();
        String metadata = "{\"supportedVersions\":[3]}";
        assertThat(
                again
                    .send(
                        "POST",
                        "/",
                        metadata,
                        r -> r.setHeader("Authorization", "Bearer " + secret))
                    .statusCode())
            .as("KV Connect " + time)
            .isLessThan(500);
      }
    }
  }

  @Test
  void answersNumbersOfFrames() throws Exception {
    List<String> frames =
        List.of(
            "{\"op\":\"list\",\"id\":@,\"credit\":1}",
            "{\"op\":\"list\",\"id\":1,\"credit\":@}",
            "{\"op\":\"list\",\"id\":1,\"credit\":10,\"limit\":@}",
            "{\"op\":\"watch\",\"id\":1,\"credit\":@,\"keys\":[[\"k\"]]}",
            "{\"op\":\"changes\",\"id\":1,\"credit\":@}",
            "{\"op\":\"query\",\"id\":1,\"credit\":@,\"collection\":\"c\",\"query\":\"SELECT * FROM c\"}",
            "{\"op\":\"query\",\"id\":1,\"credit\":1,\"collection\":\"c\",\"query\":\"SELECT TOP @ * FROM c\"}",
            "{\"op\":\"cancel\",\"id\":@}",
            "{\"op\":\"credit\",\"id\":1,\"n\":@}");
    for (String frame : frames) {
      for (String number : NUMBERS) {
        if (frame.contains("\"SELECT TOP") && number.contains("\"")) {
          continue;
        }
        Answers answers = new Answers();
        WebSocket socket =
            CLIENT
                .newWebSocketBuilder()
                .header("Authorization", "Bearer " + TestServer.TOKEN)
                .subprotocols("kv.v1")
                .buildAsync(
                    URI.create(server.uri("/api/v1/stream").toString().replace("http", "ws")),
                    answers)
                .join();
        String watch =
            "{\"op\":\"watch\",\"id\":9,\"credit\":9223372036854775807,\"keys\":[[\"k\"]]}";
        if (frame.contains("\"n\"")) {
          socket.sendText(watch.replace("\"id\":9", "\"id\":1"), true).join();
        }
        socket
            .sendText(frame.replace("@", number), true)
            .thenCompose(sent -> sent.sendText("{\"op\":\"ping\"}", true))
            .exceptionally(closed -> socket)
            .join();
        String end = answers.pongOrClose();
        assertThat(end)
            .as(frame + " " + number)
            .isNotNull()
            .doesNotContain("closed 1011", "closed 1006", "INTERNAL");
        socket.abort();
      }
    }
  }

  /** Collects the messages of the server, its pongs and the reason of the close. */
  private static final class Answers implements WebSocket.Listener {
    private final BlockingQueue<String> texts = new ArrayBlockingQueue<>(1000);
    private final StringBuilder text = new StringBuilder();

    @Override
    public CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
      text.append(data);
      if (last) {
        texts.add(text.toString());
        text.setLength(0);
      }
      socket.request(1);
      return null;
    }

    @Override
    public CompletionStage<?> onClose(WebSocket socket, int code, String reason) {
      texts.add("closed " + code + " " + reason);
      return null;
    }

    @Override
    public void onError(WebSocket socket, Throwable error) {
      texts.add("closed 1006 " + error);
    }

    String pongOrClose() throws InterruptedException {
      StringBuilder all = new StringBuilder();
      while (true) {
        String next = texts.poll(30, TimeUnit.SECONDS);
        if (next == null) {
          return null;
        }
        all.append(next).append('\n');
        if (next.contains("pong") || next.startsWith("closed")) {
          return all.toString();
        }
      }
    }
  }

  @Test
  void acceptsOrRejectsNumbersOfKvConnect() throws Exception {
    ByteString key = ByteString.copyFrom(KvKey.of("connect").bytes());
    KvValue value =
        KvValue.newBuilder()
            .setData(ByteString.copyFromUtf8("v"))
            .setEncoding(ValueEncoding.VE_BYTES)
            .build();
    for (long number :
        new long[] {Long.MIN_VALUE, Long.MAX_VALUE, -1, 0, 1, 1L << 53, 1L << 31, -(1L << 31)}) {
      for (MutationType type :
          List.of(MutationType.M_SET, MutationType.M_SET_SUFFIX_VERSIONSTAMPED_KEY)) {
        connect(
            "atomic_write",
            AtomicWrite.newBuilder()
                .addMutations(
                    Mutation.newBuilder()
                        .setKey(key)
                        .setMutationType(type)
                        .setValue(value)
                        .setExpireAtMs(number))
                .build()
                .toByteArray());
      }
      ByteString le64 =
          ByteString.copyFrom(
              java.nio.ByteBuffer.allocate(8)
                  .order(java.nio.ByteOrder.LITTLE_ENDIAN)
                  .putLong(0, number)
                  .array());
      for (MutationType type :
          List.of(MutationType.M_SUM, MutationType.M_MIN, MutationType.M_MAX)) {
        connect(
            "atomic_write",
            AtomicWrite.newBuilder()
                .addMutations(
                    Mutation.newBuilder()
                        .setKey(ByteString.copyFrom(KvKey.of("sum").bytes()))
                        .setMutationType(type)
                        .setValue(
                            KvValue.newBuilder().setData(le64).setEncoding(ValueEncoding.VE_LE64)))
                .build()
                .toByteArray());
      }
      connect(
          "atomic_write",
          AtomicWrite.newBuilder()
              .addEnqueues(
                  Enqueue.newBuilder()
                      .setPayload(ByteString.copyFromUtf8("\377\017I\002"))
                      .setDeadlineMs(number)
                      .addBackoffSchedule((int) number))
              .build()
              .toByteArray());
      connect(
          "snapshot_read",
          SnapshotRead.newBuilder()
              .addRanges(
                  ReadRange.newBuilder()
                      .setStart(key)
                      .setEnd(key.concat(ByteString.copyFrom(new byte[] {-1})))
                      .setLimit((int) number))
              .build()
              .toByteArray());
    }
  }

  private static void connect(String call, byte[] body) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(server.uri("/v2/" + call))
            .timeout(TestServer.TIMEOUT)
            .setHeader("Authorization", "Bearer " + TestServer.TOKEN)
            .setHeader("Content-Type", "application/x-protobuf")
            .setHeader("x-denokv-version", "3")
            .setHeader("x-denokv-database-id", id())
            .POST(HttpRequest.BodyPublishers.ofByteArray(body))
            .build();
    HttpResponse<String> answer = CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(call + answer.body()).isBetween(200, 499);
  }

  private static String id() throws Exception {
    return JSON.readTree(send("GET", "/api/v1/info", "").body()).path("databaseId").asText();
  }
}
