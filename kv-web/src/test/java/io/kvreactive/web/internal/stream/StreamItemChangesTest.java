package io.kvreactive.web.internal.stream;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.ChangeFeedOptions;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.DocumentCollection;
import io.kvreactive.documents.DocumentStore;
import io.kvreactive.documents.FeedRange;
import io.kvreactive.documents.PartitionKey;
import io.kvreactive.documents.WriteOptions;
import io.kvreactive.web.NonBlockingThreads;
import io.kvreactive.web.StreamOptions;
import io.kvreactive.web.internal.auth.Authenticator;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The change feed of a collection over the WebSocket. */
@ExtendWith(VertxExtension.class)
@ExtendWith(NonBlockingThreads.class)
class StreamItemChangesTest {
  private static final String BEGINNING = "'since':'00000000000000000000'";
  private StreamServer server;
  private StreamClient client;
  private DocumentStore index;

  @BeforeEach
  void start(Vertx vertx) {
    server = StreamServer.start(vertx, Authenticator.OPEN, StreamOptions.DEFAULT);
    client = server.connect();
    index = DocumentStore.over(server.kv());
    index
        .create("c", CollectionDefinition.DEFAULT.withPartitionKey("/pk"))
        .block(StreamServer.TIMEOUT);
  }

  @AfterEach
  void close() {
    client.close();
    index.close().block(StreamServer.TIMEOUT);
    server.close();
  }

  @SuppressWarnings("rawtypes")
  private DocumentCollection<Map> items() {
    return index.collection("c", Map.class);
  }

  private Versionstamp put(String id, String pk, int v) {
    return items().upsert(Map.of("id", id, "pk", pk, "v", v)).block(StreamServer.TIMEOUT).etag();
  }

  private void open(String more) {
    client.say("{'op':'itemChanges','id':1,'collection':'c'," + more + "}");
  }

  /** Returns the next commit, past bookmarks. */
  private JsonNode commit() {
    JsonNode frame = client.next();
    while (frame.path("type").asText().equals("bookmark")) {
      frame = client.next();
    }
    assertThat(frame.path("type").asText()).as(frame.toString()).isEqualTo("commit");
    return frame;
  }

  @Test
  void tellsExpiriesFromDeletes() {
    index
        .create("e", CollectionDefinition.DEFAULT.withPartitionKey("/pk").withDefaultTtl(-1))
        .block(StreamServer.TIMEOUT);
    client.say(
        "{'op':'itemChanges','id':1,'collection':'e','mode':'all','credit':100," + BEGINNING + "}");
    index
        .collection("e", Map.class)
        .upsert(Map.of("id", "a", "pk", "x", "ttl", 1))
        .block(StreamServer.TIMEOUT);
    assertThat(commit().at("/changes/0/type").asText()).isEqualTo("upsert");
    JsonNode expiry = commit().at("/changes/0");
    assertThat(expiry.path("type").asText()).isEqualTo("delete");
    assertThat(expiry.path("timeToLiveExpired").booleanValue()).isTrue();
  }

  @Test
  void sendsCommitsWithinTheCreditOfBytes() {
    String text = "x".repeat(50_000);
    for (int i = 0; i < 10; i++) {
      items().upsert(Map.of("id", "i" + i, "pk", "x", "text", text)).block(StreamServer.TIMEOUT);
    }
    open("'mode':'all','credit':1000,'creditBytes':100000," + BEGINNING);
    assertThat(commit().at("/changes/0/id").asText()).isEqualTo("i0");
    assertThat(commit().at("/changes/0/id").asText()).isEqualTo("i1"); // together above 100,000
    put("last", "x", 1);
    assertThat(client.untilPong()).isEmpty();
    client.say(
        "{'op':'credit','id':1,'bytes':1}"); // still exhausted: the last commit exceeded the credit
    assertThat(client.untilPong()).isEmpty();
    client.say("{'op':'credit','id':1,'bytes':10000000}");
    for (int i = 2; i < 10; i++) {
      assertThat(commit().at("/changes/0/id").asText()).isEqualTo("i" + i);
    }
    assertThat(commit().at("/changes/0/id").asText()).isEqualTo("last");
  }

  @Test
  void sendsPreviousVersionsIfTheStoreKeepsThem(Vertx vertx) {
    close();
    server =
        StreamServer.start(
            vertx, Authenticator.OPEN, StreamOptions.DEFAULT, store -> store.withOldValues(true));
    client = server.connect();
    index = DocumentStore.over(server.kv());
    index
        .create("c", CollectionDefinition.DEFAULT.withPartitionKey("/pk"))
        .block(StreamServer.TIMEOUT);
    Versionstamp first = put("a", "x", 1);
    put("a", "x", 2);
    items().delete("a", PartitionKey.of("x"), WriteOptions.DEFAULT).block(StreamServer.TIMEOUT);
    open("'mode':'all','credit':10," + BEGINNING);

    assertThat(commit().at("/changes/0").has("previous")).isFalse();
    JsonNode replaced = commit().at("/changes/0");
    assertThat(replaced.at("/previous/v").asInt()).isEqualTo(1);
    assertThat(replaced.at("/previous/_etag").asText()).isEqualTo(first.toString());
    JsonNode deleted = commit().at("/changes/0");
    assertThat(deleted.get("type").asText()).isEqualTo("delete");
    assertThat(deleted.get("previous")).isEqualTo(replaced.get("item"));
  }

  @Test
  void sendsCommitsWithinTheCredit() {
    Versionstamp first = put("a", "x", 1);
    put("b", "x", 2);
    put("c", "x", 3);
    open("'mode':'all','credit':2," + BEGINNING);

    JsonNode commit = client.next("commit");
    assertThat(commit.get("versionstamp").asText()).isEqualTo(first.toString());
    assertThat(commit.at("/changes/0/type").asText()).isEqualTo("upsert");
    assertThat(commit.at("/changes/0/item/v").asInt()).isEqualTo(1);
    assertThat(client.next("commit").at("/changes/0/id").asText()).isEqualTo("b");
    assertThat(client.untilPong()).noneMatch(frame -> frame.has("changes"));
    client.say("{'op':'credit','id':1,'n':1}");
    assertThat(client.next("commit").at("/changes/0/id").asText()).isEqualTo("c");
  }

  @Test
  void followsOnePartitionWithDeletes() {
    put("a", "x", 1);
    open("'mode':'all','credit':100,'partitionKey':'x'");
    client.next("bookmark"); // the newest version: the item before it is not sent
    put("b", "y", 2);
    put("a", "x", 3);
    items().delete("a", PartitionKey.of("x"), WriteOptions.DEFAULT).block(StreamServer.TIMEOUT);

    assertThat(commit().at("/changes/0/item/v").asInt()).isEqualTo(3);
    JsonNode delete = commit().at("/changes/0");
    assertThat(delete.get("type").asText()).isEqualTo("delete");
    assertThat(delete.get("partitionKey").toString()).isEqualTo("[\"x\"]");
  }

  @Test
  void resumesAfterTheLastCommit() {
    Versionstamp first = put("a", "x", 1);
    put("b", "x", 2);
    open("'credit':1,'since':'" + first + "'");
    assertThat(client.next("commit").at("/changes/0/id").asText()).isEqualTo("b");
  }

  @Test
  void followsARangeOfPartitionKeys() {
    for (int i = 0; i < 16; i++) {
      put("i" + i, "pk" + i, i);
    }
    int all = 0;
    for (int range = 0; range < 2; range++) {
      ChangeFeedOptions options =
          new ChangeFeedOptions(
              ChangeFeedOptions.Mode.LATEST, Versionstamp.ZERO, null, new FeedRange(range, 2));
      var commits = items().changePage(options, 100).block(StreamServer.TIMEOUT).commits();
      client.say(
          "{'op':'itemChanges','id':%d,'collection':'c','credit':100,'range':'%s',%s}"
              .formatted(range, options.range(), BEGINNING));
      for (var expected : commits) {
        JsonNode commit = commit();
        assertThat(commit.get("id").asInt()).isEqualTo(range);
        assertThat(commit.get("versionstamp").asText())
            .isEqualTo(expected.versionstamp().toString());
      }
      assertThat(commits).hasSizeBetween(1, 15);
      all += commits.size();
    }
    assertThat(all).isEqualTo(16);
    assertThat(client.untilPong()).noneMatch(frame -> frame.has("changes"));
  }

  @Test
  void rejectsInvalidRequests() {
    for (String more :
        List.of(
            "'mode':'some'",
            "'since':'x'",
            "'partitionKey':{}",
            "'range':1",
            "'range':'2/2'",
            "'range':'0/2','partitionKey':'x'",
            "'credit':-1")) {
      open(more);
      assertThat(client.next("error").get("status").asInt()).as(more).isEqualTo(400);
    }
    client.say("{'op':'itemChanges','id':1,'collection':'none','credit':1," + BEGINNING + "}");
    assertThat(client.next("error").get("code").asText()).isEqualTo("COLLECTION_NOT_FOUND");
  }
}
