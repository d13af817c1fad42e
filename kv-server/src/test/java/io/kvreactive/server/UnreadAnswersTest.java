package io.kvreactive.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.kvreactive.KvKey;
import io.kvreactive.connect.wire.ReadRange;
import io.kvreactive.connect.wire.SnapshotRead;
import io.kvreactive.connect.wire.Watch;
import io.kvreactive.connect.wire.WatchKey;
import io.kvreactive.server.UnreadAnswers.Request;
import io.kvreactive.testing.Tries;
import io.kvreactive.web.Conditions;
import io.kvreactive.web.internal.auth.Operation;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
          "POST", ITEMS + "items", "{\"id\":\"%d\",\"p\":\"p\",\"t\":\"%s\"}".formatted(i, text));
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
    String since = "since=00000000000000000000";
    return List.of(
        Request.get(Operation.EXPORT, "/api/v1/export", LINES),
        Request.get(Operation.LIST_ENTRIES, "/api/v1/entries", LINES),
        Request.get(Operation.LIST_ENTRIES, "/api/v1/entries?limit=1000", JSON),
        Request.get(Operation.GET_ENTRY, "/api/v1/entry?key=%5B1%5D", JSON),
        Request.post(
            Operation.GET_ENTRIES, "/api/v1/entries/get", JSON, "{\"keys\":[" + many + "]}"),
        Request.get(Operation.TREE, "/api/v1/tree?limit=1000", JSON),
        Request.get(Operation.CHANGES, "/api/v1/changes?list=true", EVENTS),
        Request.get(Operation.CHANGES, "/api/v1/changes?" + since, EVENTS),
        Request.get(Operation.CHANGES, "/api/v1/changes?" + since, JSON),
        Request.get(Operation.LIST_COLLECTIONS, "/api/v1/collections", JSON),
        Request.get(Operation.GET_COLLECTION, "/api/v1/collections/c", JSON),
        Request.get(Operation.ITEM_CHANGES, ITEMS + "changes?mode=all&" + since, EVENTS),
        Request.get(Operation.ITEM_CHANGES, ITEMS + "changes?limit=10000&" + since, JSON),
        Request.get(Operation.GET_ITEM, ITEMS + "items/1?partitionKey=%22p%22", JSON),
        Request.get(
            Operation.GET_ITEM_BY_ID, ITEMS + "items?id=%221%22&partitionKey=%22p%22", JSON),
        Request.get(Operation.LIST_PARTITION, ITEMS + "partition?partitionKey=%22p%22", JSON),
        Request.post(Operation.QUERY_ITEMS, ITEMS + "query", LINES, "{" + all + "}"),
        Request.post(
            Operation.QUERY_ITEMS,
            ITEMS + "query",
            JSON,
            "{" + all + ",\"maxPageBytes\":16777216}"),
        new Request(
            Operation.CONNECT_WATCH, "/v2/watch", "*/*", PROTOBUF, watch.build().toByteArray()),
        new Request(
            Operation.CONNECT_READ,
            "/v2/snapshot_read",
            "*/*",
            PROTOBUF,
            read.build().toByteArray()));
  }

  private static Map<Operation, List<String>> subscriptions() {
    String keys =
        IntStream.range(0, 100).mapToObj(i -> "[" + i + "]").collect(Collectors.joining(","));
    String begin = "{'op':'%s','id':%d,'credit':100000";
    String since = ",'since':'00000000000000000000'}";
    String changes = begin.formatted("changes", 1);
    String query = ",'collection':'c','query':'SELECT * FROM c'}";
    return Map.of(
        Operation.LIST_FRAME,
        List.of(begin.formatted("list", 1) + "}"),
        Operation.WATCH_FRAME,
        List.of(begin.formatted("watch", 1) + ",'keys':[" + keys + "]}"),
        Operation.CHANGES_FRAME,
        List.of(changes + ",'list':true}", changes.replace("1", "2") + since),
        Operation.QUERY_FRAME,
        IntStream.range(1, 7).mapToObj(i -> begin.formatted("query", i) + query).toList(),
        Operation.ITEM_CHANGES_FRAME,
        List.of(begin.formatted("itemChanges", 1) + ",'collection':'c','mode':'all'" + since));
  }

  /** Operations whose answers are a few numbers or names. */
  private static final Set<Operation> FEW_BYTES =
      EnumSet.of(
          Operation.STATS,
          Operation.QUEUES,
          Operation.COUNT,
          Operation.CHECK,
          Operation.FOLLOW_TRANSFORMATION,
          Operation.GET_CHANGE_GROUP,
          Operation.OPEN_STREAM,
          Operation.CREDIT_FRAME,
          Operation.CANCEL_FRAME,
          Operation.PING_FRAME);

  /** Operations of which nothing may be held: answers that are small. */
  private static final Set<Operation> MAY_HOLD_NOTHING =
      EnumSet.of(Operation.LIST_COLLECTIONS, Operation.GET_COLLECTION);

  @Test
  void attacksEveryOperationThatReads() {
    Set<Operation> attacked = EnumSet.copyOf(subscriptions().keySet());
    requests().forEach(request -> attacked.add(request.operation()));
    for (Operation operation : Operation.values()) {
      if (operation.rights() == Operation.Rights.READ) {
        assertThat(attacked.contains(operation))
            .as(operation.call())
            .isNotEqualTo(FEW_BYTES.contains(operation));
      }
    }
  }

  private interface Attack {
    void begin(UnreadAnswers unread) throws Exception;
  }

  /**
   * @param holds true if answers of this kind wait for their reader
   */
  private static void outlives(String what, boolean holds, Attack attack) throws Exception {
    try (WellBehavedClient client =
            WellBehavedClient.start(URI.create(server.url), ServedProcess.TOKEN);
        UnreadAnswers unread = new UnreadAnswers(server.port(), reader, database)) {
      attack.begin(unread);
      awaitQuiet(holds);
      for (int i = 0; i < 2; i++) { // on new connections
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
          !MAY_HOLD_NOTHING.contains(request.operation()),
          unread -> {
            unread.overHttp2(Tries.of(1, 3), STREAMS, request);
            unread.overHttp1(Tries.of(8, 100), request);
          });
    }
  }

  @Test
  void outlivesWebSocketsThatNobodyReads() throws Exception {
    for (Map.Entry<Operation, List<String>> frames : subscriptions().entrySet()) {
      outlives(
          frames.getKey().call(),
          true,
          unread ->
              assertThat(unread.overWebSockets(Tries.of(20, 100), frames.getValue())).isPositive());
    }
  }

  /**
   * Waits until no more is held for the requests, and something if answers of this kind wait for
   * their reader. The answers to the other caller are small.
   */
  private static void awaitQuiet(boolean holds) throws Exception {
    List<String> before = new ArrayList<>();
    int[] same = {0};
    Conditions.await(
        () -> {
          List<String> now =
              metrics("kv_memory_held_bytes")
                  .lines()
                  .filter(line -> line.matches(".*\"(answers|streams).*[1-9].*"))
                  .toList();
          same[0] = now.equals(before) ? same[0] + 1 : 0;
          before.clear();
          before.addAll(now);
          return same[0] >= 5 && !(holds && now.isEmpty());
        });
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
