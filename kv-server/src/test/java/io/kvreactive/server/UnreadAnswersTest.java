package io.kvreactive.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.kvreactive.KvKey;
import io.kvreactive.connect.wire.ReadRange;
import io.kvreactive.connect.wire.SnapshotRead;
import io.kvreactive.connect.wire.Watch;
import io.kvreactive.connect.wire.WatchKey;
import io.kvreactive.server.UnreadAnswers.Request;
import io.kvreactive.testkit.Tries;
import io.kvreactive.web.Conditions;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server with little memory and a caller with READ who requests much and reads nothing: the
 * server answers another caller meanwhile, and holds nothing afterwards.
 */
@Timeout(300)
class UnreadAnswersTest {
  private static final Map<String, String> SMALL =
      Map.of("JAVA_TOOL_OPTIONS", "-Xmx256m -XX:+ExitOnOutOfMemoryError");

  private static final String JSON = "application/json";
  private static final String LINES = "application/x-ndjson";
  private static final String PROTOBUF = "application/x-protobuf";
  private static final String EVENTS = "text/event-stream";
  private static final String ITEMS = "/api/v1/collections/c/";
  private static final int STREAMS = 100; // of a connection

  @TempDir static Path directory;
  private static ServedProcess server;
  private static String database;
  private static String reader; // the token of the caller who does not read

  @BeforeAll
  static void start() throws Exception {
    server = ServedProcess.with(SMALL, List.of(), directory.resolve("small"));
    reader =
        server
            .json("POST", "/api/v1/tokens", "{\"name\":\"reader\",\"access\":[\"READ\"]}")
            .get("token")
            .asText();
    database = server.json("POST", "/", "{\"supportedVersions\":[3]}").get("databaseId").asText();
    String value = "\"" + "v".repeat(60_000) + "\"";
    for (int i = 0; i < 300; i++) {
      server.send("PUT", "/api/v1/entry?key=%5B" + i + "%5D", value);
    }
    server.json("PUT", "/api/v1/collections/c", "{\"partitionKey\":{\"paths\":[\"/p\"]}}");
    String text = "t".repeat(40_000);
    for (int i = 0; i < 200; i++) {
      server.json(
          "POST",
          ITEMS + "items",
          "{\"id\":\"%d\",\"p\":\"%d\",\"t\":\"%s\"}".formatted(i, i, text));
    }
  }

  @AfterAll
  static void stop() throws IOException {
    server.close();
  }

  private static List<Request> requests() {
    List<KvKey> keys = IntStream.range(0, 300).mapToObj(KvKey::of).toList();
    String many = keys.stream().map(KvKey::toString).collect(Collectors.joining(","));
    var watch = Watch.newBuilder();
    var read = SnapshotRead.newBuilder();
    for (KvKey key : keys.subList(0, 10)) {
      ByteString bytes = ByteString.copyFrom(key.bytes());
      watch.addKeys(WatchKey.newBuilder().setKey(bytes));
    }
    read.addRanges(
        ReadRange.newBuilder()
            .setStart(ByteString.copyFrom(keys.get(0).bytes()))
            .setEnd(ByteString.copyFrom(new byte[] {(byte) 0xFF}))
            .setLimit(300));
    String all = "\"query\":\"SELECT * FROM c\"";
    return List.of(
        Request.get("/api/v1/export", LINES),
        Request.get("/api/v1/entries", LINES),
        Request.get("/api/v1/entries?limit=1000", JSON),
        Request.get("/api/v1/entry?key=%5B1%5D", JSON),
        Request.post("/api/v1/entries/get", JSON, "{\"keys\":[" + many + "]}"),
        Request.get("/api/v1/tree?limit=1000", JSON),
        Request.get("/api/v1/changes?list=true", EVENTS),
        Request.get("/api/v1/changes?since=00000000000000000000", EVENTS),
        Request.get("/api/v1/changes?since=00000000000000000000", JSON),
        Request.get(ITEMS + "changes?since=00000000000000000000&mode=all", EVENTS),
        Request.get(ITEMS + "changes?since=00000000000000000000&limit=10000", JSON),
        Request.get(ITEMS + "items/1?partitionKey=%221%22", JSON),
        Request.post(ITEMS + "query", LINES, "{" + all + "}"),
        Request.post(ITEMS + "query", JSON, "{" + all + ",\"maxPageBytes\":16777216}"),
        Request.post("/v2/watch", "*/*", PROTOBUF, watch.build().toByteArray()),
        Request.post("/v2/snapshot_read", "*/*", PROTOBUF, read.build().toByteArray()));
  }

  private static List<String> subscriptions() {
    String keys =
        IntStream.range(0, 100).mapToObj(i -> "[" + i + "]").collect(Collectors.joining(","));
    String query =
        "{'op':'query','id':%d,'credit':100000,'collection':'c','query':'SELECT * FROM c'}";
    return List.of(
        "{'op':'list','id':1,'credit':100000}",
        "{'op':'watch','id':1,'credit':100000,'keys':[" + keys + "]}",
        "{'op':'changes','id':1,'credit':100000,'list':true}",
        "{'op':'changes','id':1,'credit':100000,'since':'00000000000000000000'}",
        IntStream.range(1, 7).mapToObj(query::formatted).collect(Collectors.joining("\n")),
        "{'op':'itemChanges','id':1,'credit':100000,'collection':'c','mode':'all','since':'00000000000000000000'}");
  }

  private interface Attack {
    void begin(UnreadAnswers unread) throws Exception;
  }

  private static void outlives(String what, Attack attack) throws Exception {
    try (WellBehavedClient client =
            WellBehavedClient.start(URI.create(server.url), ServedProcess.TOKEN);
        UnreadAnswers unread = new UnreadAnswers(server.port(), reader, database)) {
      attack.begin(unread);
      awaitQuiet();
      for (int i = 0; i < 5; i++) { // on new connections
        try (WellBehavedClient other =
            WellBehavedClient.start(URI.create(server.url), ServedProcess.TOKEN)) {
          Conditions.await(() -> other.count() > 2);
          assertThat(other.failures()).as(what).isEmpty();
        }
      }
      assertThat(client.failures()).as(what).isEmpty();
      System.out.println("beside " + what + ": " + client.summary());
    }
    Conditions.await(UnreadAnswersTest::holdsNothing);
  }

  @Test
  void outlivesAnswersThatNobodyReads() throws Exception {
    for (Request request : requests()) {
      outlives(
          request.toString(),
          unread -> {
            unread.overHttp2(Tries.of(1, 3), STREAMS, request);
            unread.overHttp1(Tries.of(50, 100), request);
          });
    }
  }

  @Test
  void outlivesWebSocketsThatNobodyReads() throws Exception {
    for (String messages : subscriptions()) {
      outlives(
          messages,
          unread -> assertThat(unread.overWebSockets(100, messages.lines().toList())).isPositive());
    }
  }

  /** Waits until the server does nothing more with the requests. */
  private static void awaitQuiet() throws Exception {
    String[] before = {""};
    int[] same = {0};
    Conditions.await(
        () -> {
          String now = metrics("kv_memory_held_bytes", "kv_requests_under_way");
          same[0] = now.equals(before[0]) ? same[0] + 1 : 0;
          before[0] = now;
          return same[0] == 5;
        });
    System.out.println(before[0].lines().filter(line -> !line.endsWith(" 0.0")).toList());
  }

  private static boolean holdsNothing() throws Exception {
    return metrics("kv_memory_held_bytes").lines().allMatch(line -> line.endsWith(" 0.0"));
  }

  private static String metrics(String... names) throws Exception {
    return server
        .send("GET", "/metrics", "")
        .body()
        .lines()
        .filter(line -> Stream.of(names).anyMatch(line::startsWith))
        .collect(Collectors.joining("\n"));
  }
}
