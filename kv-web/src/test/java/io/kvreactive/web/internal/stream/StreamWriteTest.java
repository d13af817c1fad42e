package io.kvreactive.web.internal.stream;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.CommitResult;
import io.kvreactive.Kv;
import io.kvreactive.KvKey;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.DocumentCollection;
import io.kvreactive.documents.DocumentStore;
import io.kvreactive.documents.PartitionKey;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.web.ChangedEngine;
import io.kvreactive.web.LogOf;
import io.kvreactive.web.NonBlockingThreads;
import io.kvreactive.web.StreamOptions;
import io.kvreactive.web.internal.auth.AccessRight;
import io.kvreactive.web.internal.auth.Authenticator;
import io.kvreactive.web.internal.auth.Grant;
import io.kvreactive.web.internal.auth.Revocation;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Writes of items over the WebSocket. */
@ExtendWith(VertxExtension.class)
@ExtendWith(NonBlockingThreads.class)
class StreamWriteTest {
  private static final int MAX_WRITES = 32;
  private static final int RUNNING = 8;

  private Vertx vertx;
  private StreamServer server;
  private StreamClient client;
  private DocumentStore index;

  @BeforeEach
  void start(Vertx vertx) {
    this.vertx = vertx;
    start(Authenticator.OPEN);
  }

  private void start(Authenticator authenticator) {
    server = StreamServer.start(vertx, authenticator, StreamOptions.DEFAULT);
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

  private List<String> ids() {
    return items()
        .query(SqlQuery.of("SELECT VALUE c.id FROM c ORDER BY c.id"), String.class)
        .collectList()
        .block(StreamServer.TIMEOUT);
  }

  private static String batch(int id, String operations) {
    return "{'op':'batch','id':%d,'collection':'c','partitionKey':'x','operations':[%s]}"
        .formatted(id, operations);
  }

  private static String create(String id) {
    return "{'op':'create','item':{'id':'%s','pk':'x'}}".formatted(id);
  }

  @Test
  void executesABatch() {
    client.say(
        batch(
            7,
            create("a")
                + ",{'op':'upsert','item':{'id':'b','pk':'x','text':'\u00e9\u2603'}}"
                + ",{'op':'patch','id':'a','operations':[{'op':'add','path':'/n','value':1}]}"
                + ",{'op':'read','id':'b'},{'op':'delete','id':'b'}"));
    JsonNode answer = client.next("batch");

    assertThat(answer.get("id").asInt()).isEqualTo(7);
    JsonNode results = answer.get("results");
    assertThat(results.findValuesAsText("status"))
        .containsExactly("201", "201", "200", "200", "204");
    assertThat(results.findValuesAsText("etag"))
        .hasSize(4)
        .containsOnly(answer.get("versionstamp").asText());
    assertThat(results.at("/2/item/n").asInt()).isOne();
    assertThat(results.at("/3/item/text").asText()).isEqualTo("\u00e9\u2603");
    assertThat(ids()).containsExactly("a");
    client.say(batch(7, create("c"))); // the id is free as soon as the answer is there
    assertThat(client.next("batch").at("/results/0/status").asInt()).isEqualTo(201);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "409 | ITEM_EXISTS       | {'op':'create','item':{'id':'a','pk':'x'}}",
        "404 | ITEM_NOT_FOUND    | {'op':'delete','id':'none'}",
        "412 | ETAG_MISMATCH     |"
            + " {'op':'replace','id':'a','item':{'pk':'x'},'ifMatch':'00000000000000000000'}",
        "412 | CONDITION_NOT_MET |"
            + " {'op':'patch','id':'a','operations':[{'op':'incr','path':'/n','value':1}],'filter':'c.n"
            + " = 1'}",
        "400 | INVALID_QUERY     |"
            + " {'op':'patch','id':'a','operations':[{'op':'incr','path':'/n','value':1}],'filter':'c.n"
            + " ='}",
        "400 | BAD_REQUEST       | {'op':'merge','id':'a'}",
        "400 | BAD_REQUEST       | {'op':'read'}",
        "400 | INVALID_VERSIONSTAMP | {'op':'read','id':'a','ifMatch':'x'}",
      })
  void namesTheFailedOperationAndChangesNothing(int status, String code, String operation) {
    items().upsert(Map.of("id", "a", "pk", "x")).block(StreamServer.TIMEOUT);
    client.say(batch(1, create("b") + "," + operation));
    JsonNode error = client.next("error");

    assertThat(error.get("id").asInt()).isEqualTo(1);
    assertThat(error.get("status").asInt()).isEqualTo(status);
    assertThat(error.get("code").asText()).isEqualTo(code);
    assertThat(error.get("failedOperation").asInt()).isEqualTo(1);
    assertThat(error.has("errors")).isEqualTo(code.equals("INVALID_QUERY"));
    assertThat(ids()).containsExactly("a");
  }

  @Test
  void deletesWhatAQueryFinds() {
    for (int i = 0; i < 30; i++) {
      items().upsert(Map.of("id", "i" + i, "pk", "p" + i % 2, "n", i)).block(StreamServer.TIMEOUT);
    }
    client.say(
        "{'op':'deleteItems','id':1,'collection':'c','query':'SELECT * FROM c WHERE c.n < @n',"
            + "'parameters':[{'name':'@n','value':20}],'partitionKey':'p1','maxItemCount':3}");
    JsonNode answer = client.next("deleteItems");

    assertThat(answer.get("done").booleanValue()).isTrue();
    assertThat(answer.get("deleted").asInt()).isEqualTo(10);
    assertThat(answer.get("changed").asInt()).isZero();
    assertThat(ids()).hasSize(20);
    client.say(
        "{'op':'deleteItems','id':1,'collection':'c','query':'SELECT * FROM c WHERE false'}");
    assertThat(client.next("deleteItems").get("deleted").asInt()).isZero();
  }

  @Test
  void deletesAPartitionWithEntriesOfTheAuditLog() {
    for (int i = 0; i < 6; i++) {
      items().upsert(Map.of("id", "i" + i, "pk", "p" + i % 2)).block(StreamServer.TIMEOUT);
    }
    LogOf.begin();
    client.say("{'op':'deletePartition','id':1,'collection':'c','partitionKey':'p0'}");
    JsonNode answer = client.next("deletePartition");
    assertThat(answer.get("done").booleanValue()).isTrue();
    assertThat(answer.get("deleted").asInt()).isEqualTo(3);
    assertThat(ids()).containsExactly("i1", "i3", "i5");
    assertThat(LogOf.audit())
        .anyMatch(entry -> entry.contains("event=partition.deletion.begun"))
        .anyMatch(entry -> entry.matches(".*event=partition.deleted .*collection=c deleted=3.*"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "COLLECTION_NOT_FOUND |"
            + " 'op':'batch','collection':'none','operations':[{'op':'read','id':'a'}]",
        "COLLECTION_NOT_FOUND | 'op':'deleteItems','collection':'none','query':'SELECT * FROM c'",
        "COLLECTION_NOT_FOUND | 'op':'deletePartition','collection':'none','partitionKey':1",
        "INVALID_ARGUMENT | 'op':'batch','operations':[{'op':'read','id':'a'}]",
        "INVALID_ARGUMENT | 'op':'batch','collection':7,'operations':[{'op':'read','id':'a'}]",
        "INVALID_ARGUMENT | 'op':'batch','collection':'c','partitionKey':'x','operations':[]",
        "BAD_REQUEST | 'op':'batch','collection':'c','partitionKey':{},'operations':[]",
        "BAD_REQUEST | 'op':'batch','collection':'c','operations':7",
        "BAD_REQUEST | 'op':'batch','collection':'c','operations':[],'credit':1",
        "INVALID_QUERY | 'op':'deleteItems','collection':'c','query':'SELECT'",
        "INVALID_ARGUMENT | 'op':'deleteItems','collection':'c','query':'SELECT c.id FROM c'",
        "BAD_REQUEST | 'op':'deleteItems','collection':'c'",
        "BAD_REQUEST | 'op':'deleteItems','collection':'c','query':'SELECT 1','explain':true",
        "BAD_REQUEST | 'op':'deletePartition','collection':'c'",
        "BAD_REQUEST | 'op':'deletePartition','collection':'c','partitionKey':[[1]]",
        "INVALID_ARGUMENT | 'op':'deletePartition','collection':'c','partitionKey':[]",
      })
  void rejectsInvalidWrites(String code, String frame) {
    items().upsert(Map.of("id", "a", "pk", "x")).block(StreamServer.TIMEOUT);
    client.say("{'id':1," + frame + "}");
    JsonNode error = client.next("error");
    assertThat(error.get("id").asInt()).isEqualTo(1);
    assertThat(error.get("code").asText()).isEqualTo(code);
    assertThat(client.untilPong()).isEmpty();
    assertThat(ids()).containsExactly("a");
  }

  @Test
  void limitsTheSizeOfABatch() {
    client.say(batch(1, "{'op':'read','id':'a'},".repeat(100) + "{'op':'read','id':'a'}"));
    assertThat(client.next("error").get("code").asText()).isEqualTo("LIMIT_EXCEEDED");
    String large = batch(2, create("x".repeat(1 << 20)));
    for (int i = 0; i < large.length(); i += 60_000) {
      String part = large.replace('\'', '"').substring(i, Math.min(large.length(), i + 60_000));
      boolean isLast = i + 60_000 >= large.length();
      client
          .ws()
          .writeFrame(
              i == 0
                  ? io.vertx.core.http.WebSocketFrame.textFrame(part, isLast)
                  : io.vertx.core.http.WebSocketFrame.continuationFrame(
                      io.vertx.core.buffer.Buffer.buffer(part), isLast));
    }
    assertThat(client.closeCode()).isEqualTo(1009);
  }

  @Test
  void handlesALargeBatchBeforeLaterMessages() {
    StringBuilder operations = new StringBuilder();
    for (int i = 0; i < 90; i++) {
      operations
          .append("{'op':'upsert','item':{'id':'i%d','pk':'x','text':'".formatted(i))
          .append("t".repeat(10_000))
          .append("'}},");
    }
    client.say(batch(1, operations + "{'op':'merge'}"));
    List<JsonNode> said = client.untilPong();
    assertThat(said).hasSize(1);
    assertThat(said.get(0).get("failedOperation").asInt()).isEqualTo(90);
    client.say(batch(1, operations + create("last")));
    assertThat(client.next("batch").get("results")).hasSize(91);
    assertThat(ids()).hasSize(91);
    client.say("[" + "1,".repeat(200_000) + "1]"); // a large message that is no object
    assertThat(client.next("error").get("detail").asText()).contains("expected: a JSON object");
    assertThat(client.closeCode()).isEqualTo(4400);
  }

  @Test
  void chargesTheJsonOfABatchUntilItsAnswer() {
    close();
    server = StreamServer.withMemory(vertx, Authenticator.OPEN, 512 << 10);
    client = server.connect();
    index = DocumentStore.over(server.kv());
    index
        .create("c", CollectionDefinition.DEFAULT.withPartitionKey("/pk"))
        .block(StreamServer.TIMEOUT);
    String many = create("a").replace("'pk'", "'m':[" + "0,".repeat(8_000) + "0],'pk'");
    client.say(batch(1, many)); // a small message, and a large tree of JSON
    JsonNode error = client.next("error");
    assertThat(error.get("code").asText()).isEqualTo("LIMIT_EXCEEDED");
    assertThat(error.get("detail").asText()).contains("WebSockets of one token");
    String some = many.replace("0,".repeat(4_000), "");
    for (int i = 0; i < 5; i++) { // one after another, because answers release the memory
      client.say(batch(1, some.replace("'a'", "'i" + i + "'"))).next("batch");
    }
    assertThat(ids()).hasSize(5);
  }

  private void startAs(Set<AccessRight> rights, String... prefixes) {
    close();
    List<KvKey> keys = new ArrayList<>();
    for (String prefix : prefixes) {
      keys.add(KvKey.of(prefix));
    }
    Grant grant = new Grant("mine", rights, keys, Set.of(), null);
    start(token -> grant);
  }

  @Test
  void requiresTheRightsThatRestRequires() {
    Set<AccessRight> both = Set.of(AccessRight.READ, AccessRight.WRITE);
    for (String frame :
        List.of(
            batch(1, create("a")),
            "{'op':'deleteItems','id':1,'collection':'c','query':'SELECT * FROM c'}",
            "{'op':'deletePartition','id':1,'collection':'c','partitionKey':'x'}")) {
      startAs(Set.of(AccessRight.READ));
      client.say(frame);
      assertThat(client.next("error").get("code").asText()).isEqualTo("FORBIDDEN");
      startAs(both, "mine");
      client.say(frame);
      assertThat(client.next("error").get("code").asText()).isEqualTo("FORBIDDEN");
      assertThat(ids()).isEmpty();
      startAs(both, "kvi");
      client.say(frame);
      assertThat(client.next().get("type").asText()).isNotEqualTo("error");
    }
  }

  @Test
  void endsWritesWithTheToken() {
    close();
    AtomicReference<Instant> now = new AtomicReference<>(Instant.EPOCH);
    Grant grant =
        new Grant(
            "mine",
            Set.of(AccessRight.values()),
            List.of(),
            Set.of(),
            Instant.EPOCH.plusSeconds(60),
            Revocation.NEVER,
            now::get);
    start(token -> grant);
    client.say(batch(1, create("a"))).next("batch");
    now.set(Instant.EPOCH.plusSeconds(60));
    client.say(batch(2, create("b")));
    client.next("goingAway");
    assertThat(client.closeCode()).isEqualTo(4401);
    assertThat(ids()).containsExactly("a");
  }

  /** A server of the same store whose commits are changed. */
  private final class Changed implements AutoCloseable {
    final StreamServer server;
    final StreamClient client;

    Changed(UnaryOperator<Mono<CommitResult>> change) {
      server =
          StreamServer.over(
              vertx,
              Kv.over(
                  ChangedEngine.of(StreamWriteTest.this.server.kv().engine(), "commit", change),
                  "changed"));
      client = server.connect();
    }

    @Override
    public void close() {
      client.close();
      server.close();
    }
  }

  @Test
  void reportsTheProgressOfDeletes() {
    for (int i = 0; i < 4; i++) {
      items().upsert(Map.of("id", "i" + i, "pk", "x")).block(StreamServer.TIMEOUT);
    }
    try (Changed slow = new Changed(commit -> commit.delaySubscription(Duration.ofMillis(400)))) {
      slow.client.say(
          "{'op':'deleteItems','id':1,'collection':'c','query':'SELECT * FROM c',"
              + "'maxItemCount':1}");
      JsonNode progress = slow.client.next("deleteItems");
      assertThat(progress.get("done").booleanValue()).isFalse();
      assertThat(progress.get("deleted").asInt()).isBetween(1, 3);
      while (!progress.get("done").booleanValue()) {
        progress = slow.client.next("deleteItems");
      }
      assertThat(progress.get("deleted").asInt()).isEqualTo(4);
    }
  }

  @Test
  void limitsTheWritesWithoutAnAnswer() {
    Sinks.Empty<Void> gate = Sinks.empty();
    try (Changed gated = new Changed(commit -> gate.asMono().then(commit))) {
      for (int i = 0; i < MAX_WRITES; i++) {
        gated.client.say(batch(i, create("i" + i)));
      }
      gated.client.say(batch(MAX_WRITES, create("refused")));
      JsonNode error = gated.client.next("error");
      assertThat(error.get("id").asInt()).isEqualTo(MAX_WRITES);
      assertThat(error.get("code").asText()).isEqualTo("LIMIT_EXCEEDED");
      gated.client.say("{'op':'cancel','id':1}").say(batch(MAX_WRITES, create("late")));
      assertThat(gated.client.untilPong()).isEmpty();
      assertThat(gated.server.gauge("subscriptions")).isEqualTo(MAX_WRITES);

      gate.tryEmitEmpty();
      for (int i = 0; i < MAX_WRITES; i++) {
        assertThat(gated.client.next("batch").get("id").asInt()).isNotEqualTo(1);
      }
      assertThat(ids()).hasSize(MAX_WRITES).contains("late").doesNotContain("i1", "refused");
      assertThat(gated.server.gauge("subscriptions")).isZero();
    }
  }

  @Test
  void rejectsAnIdThatAWriteUses() {
    Sinks.Empty<Void> gate = Sinks.empty();
    try (Changed gated = new Changed(commit -> gate.asMono().then(commit))) {
      gated.client.say(batch(1, create("a"))).say(batch(1, create("b")));
      assertThat(gated.client.next("error").get("detail").asText()).contains("an unused id");
      assertThat(gated.client.closeCode()).isEqualTo(4400);
      StreamServer.until(() -> gated.server.lifecycle().underWay() == 0);
      gate.tryEmitEmpty();
      assertThat(ids()).isEmpty();
    }
  }

  @Test
  void answersWritesBeforeTheServerStops() {
    Sinks.Empty<Void> gate = Sinks.empty();
    try (Changed gated = new Changed(commit -> gate.asMono().then(commit))) {
      gated.client.say("{'op':'watch','id':0,'keys':[['k']],'credit':1}").next("state");
      for (int i = 1; i <= RUNNING + 2; i++) { // two of them wait for others
        gated.client.say(batch(i, create("i" + i)));
      }
      assertThat(gated.client.untilPong()).isEmpty();
      gated.server.lifecycle().drain();
      gated.client.next("goingAway");
      gated.client.say(batch(99, create("late")));
      assertThat(gated.client.next("error").get("code").asText()).isEqualTo("GOING_AWAY");
      assertThat(gated.client.isClosed()).isFalse();
      assertThat(gated.server.lifecycle().underWay()).isEqualTo(RUNNING + 2);

      gate.tryEmitEmpty();
      for (int i = 1; i <= RUNNING + 2; i++) {
        gated.client.next("batch");
      }
      assertThat(gated.client.closeCode()).isEqualTo(1001);
      StreamServer.until(() -> gated.server.lifecycle().underWay() == 0);
      assertThat(ids()).hasSize(RUNNING + 2);
    }
  }

  @Test
  void endsWritesWithTheConnection() {
    Sinks.Empty<Void> gate = Sinks.empty();
    try (Changed gated = new Changed(commit -> gate.asMono().then(commit))) {
      for (int i = 0; i < RUNNING + 2; i++) {
        gated.client.say(batch(i, create("i" + i)));
      }
      assertThat(gated.client.untilPong()).isEmpty();
      assertThat(gated.server.lifecycle().underWay()).isEqualTo(RUNNING + 2);
      gated.client.close();
      StreamServer.until(() -> gated.server.lifecycle().underWay() == 0);
      StreamServer.until(() -> gated.server.gauge("connections") == 0);
      gate.tryEmitEmpty();
      assertThat(items().list(PartitionKey.of("x")).collectList().block(StreamServer.TIMEOUT))
          .isEmpty();
    }
  }
}
