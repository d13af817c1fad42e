package io.kvreactive.web.internal.stream;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.KvU64;
import io.kvreactive.web.NonBlockingThreads;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VertxExtension.class)
@ExtendWith(NonBlockingThreads.class)
class StreamTest {
  private StreamServer server;
  private StreamClient client;

  @BeforeEach
  void start(Vertx vertx) {
    server = StreamServer.start(vertx);
    client = server.connect();
  }

  @AfterEach
  void close() {
    client.close();
    server.close();
  }

  static int entries(List<JsonNode> frames) {
    return frames.stream().mapToInt(frame -> frame.path("entries").size()).sum();
  }

  // ---- list

  @Test
  void listsARange() {
    server.set("Ada", "users", 1);
    String second = server.set(new KvU64(5), "users", 2);
    server.set("x", "other");
    client.say("{'op':'list','id':7,'prefix':['users'],'credit':10}");
    JsonNode frame = client.next("entries");
    assertThat(frame.get("id").asLong()).isEqualTo(7);
    assertThat(frame.get("entries")).hasSize(2);
    assertThat(frame.get("entries").get(0).get("key").toString()).isEqualTo("[\"users\",1]");
    assertThat(frame.get("entries").get(0).get("value").asText()).isEqualTo("Ada");
    assertThat(frame.get("entries").get(1).get("value").toString()).isEqualTo("{\"$u64\":\"5\"}");
    assertThat(frame.get("entries").get(1).get("versionstamp").asText()).isEqualTo(second);
    assertThat(frame.get("versionstamp").asText()).isGreaterThanOrEqualTo(second);
    assertThat(client.next("end").get("id").asLong()).isEqualTo(7);
  }

  @Test
  void neverListsMoreThanTheCredit() {
    server.fill("n", 1_000, "v");
    client.say("{'op':'list','id':1,'prefix':['n'],'credit':3}");
    assertThat(client.next("entries").get("entries")).hasSize(3);
    assertThat(client.untilPong()).isEmpty();
    client.say("{'op':'credit','id':1,'n':2}");
    assertThat(client.next("entries").get("entries")).hasSize(2);
    client.say("{'op':'credit','id':1,'n':200}");
    int more = 0;
    while (more < 200) {
      more += client.next("entries").get("entries").size();
    }
    assertThat(more).isEqualTo(200);
    assertThat(client.untilPong()).isEmpty();
    client.say("{'op':'credit','id':1,'n':9223372036854775807}");
    client.say("{'op':'credit','id':1,'n':9223372036854775807}"); // saturates
    assertThat(entries(client.until("end"))).isEqualTo(1_000 - 205);
  }

  @Test
  void readsNoMorePagesWithoutACreditOfBytes() {
    server.fill("big", 40, "x".repeat(50_000));
    client.say("{'op':'list','id':1,'prefix':['big'],'credit':1000,'creditBytes':100000}");
    int first = 0;
    while (first < 2) { // less than 100,000 bytes without their keys
      first += client.next("entries").get("entries").size();
    }
    for (int id = 2; id < 5; id++) { // other lists of the connection are not delayed
      client.say("{'op':'list','id':%d,'prefix':['big'],'credit':1000}".formatted(id));
      for (JsonNode frame : client.until("end")) {
        first += frame.get("id").asInt() == 1 ? frame.path("entries").size() : 0;
      }
    }
    assertThat(first).isLessThan(12); // two pages of 128 KiB ahead, and the entries of a frame
    client.say("{'op':'credit','id':1,'bytes':10000000}");
    assertThat(entries(client.until("end"))).isEqualTo(40 - first);
  }

  @Test
  void listsInReverseWithALimitAndResumesByCursor() {
    server.fill("n", 100, "v");
    client.say("{'op':'list','id':1,'prefix':['n'],'credit':50,'reverse':true,'limit':40}");
    List<JsonNode> frames = client.until("end");
    assertThat(entries(frames)).isEqualTo(40);
    assertThat(frames.get(0).get("entries").get(0).get("key").get(1).asInt()).isEqualTo(99);
    String cursor = frames.get(frames.size() - 1).get("cursor").asText();
    client.say(
        "{'op':'list','id':1,'prefix':['n'],'credit':99,'reverse':true,'keysOnly':true,'cursor':'"
            + cursor
            + "'}");
    frames = client.until("end");
    assertThat(entries(frames)).isEqualTo(60);
    assertThat(frames.get(0).get("entries").get(0).get("key").get(1).asInt()).isEqualTo(59);
    assertThat(frames.get(0).get("entries").get(0).has("value")).isFalse();
    assertThat(frames.get(frames.size() - 1).has("cursor")).isFalse();
  }

  @Test
  void hidesLaterCommitsFromAListAtOneVersion() {
    server.fill("n", 300, "old");
    client.say("{'op':'list','id':1,'prefix':['n'],'credit':1,'consistency':'snapshot'}");
    client.next("entries");
    server.kv().deleteRange(KvRange.prefix("n")).block(StreamServer.TIMEOUT);
    client.say("{'op':'credit','id':1,'n':1000}");
    assertThat(entries(client.until("end"))).isEqualTo(299);
  }

  @Test
  void splitsLargeValuesIntoFrames() {
    server.fill("big", 40, "x".repeat(20_000));
    client.say("{'op':'list','id':1,'prefix':['big'],'credit':1000}");
    List<JsonNode> frames = client.until("end");
    assertThat(entries(frames)).isEqualTo(40);
    assertThat(frames).hasSizeGreaterThan(10);
  }

  @Test
  void sharesAConnectionAmongManyLists() {
    server.fill("n", 500, "v");
    for (int i = 0; i < 50; i++) {
      client.say("{'op':'list','id':" + i + ",'prefix':['n'],'credit':1000}");
    }
    int ended = 0;
    int entries = 0;
    while (ended < 50) {
      JsonNode frame = client.next();
      assertThat(frame.get("type").asText()).isIn("entries", "end");
      ended += frame.get("type").asText().equals("end") ? 1 : 0;
      entries += frame.path("entries").size();
    }
    assertThat(entries).isEqualTo(50 * 500);
  }

  @Test
  void isNotBlockedByAListWithoutCredit() {
    server.fill("n", 500, "v");
    for (int i = 0; i < 20; i++) {
      client.say("{'op':'list','id':" + i + ",'prefix':['n'],'credit':1}");
      client.next("entries");
    }
    client.say("{'op':'list','id':100,'prefix':['n'],'credit':500}");
    assertThat(entries(client.until("end"))).isEqualTo(500);
  }

  // ---- watch

  @Test
  void deliversACommitLargerThanTheMemoryLimit() {
    client.say("{'op':'changes','id':3,'credit':10}");
    client.next("bookmark");
    server.kv().set(KvKey.of("large"), new byte[2 << 20]).block(StreamServer.TIMEOUT);
    server.kv().set(KvKey.of("small"), 1).block(StreamServer.TIMEOUT);
    assertThat(client.next("commit").get("changes").get(0).get("key").toString())
        .isEqualTo("[\"large\"]");
    assertThat(client.next("commit").get("changes").get(0).get("key").toString())
        .isEqualTo("[\"small\"]");
  }

  @Test
  void rejectsTooManyKeysBeforeAnyCredit() {
    String keys = String.join(",", java.util.Collections.nCopies(1_001, "['a']"));
    client.say("{'op':'watch','id':2,'keys':[" + keys + "],'credit':1}");
    assertThat(client.next("error").get("code").asText()).isEqualTo("LIMIT_EXCEEDED");
  }

  @Test
  void watchesKeys() {
    client.say("{'op':'watch','id':2,'keys':[['a'],['b']],'credit':2}");
    JsonNode state = client.next("state");
    assertThat(state.get("entries").get(0).get("versionstamp").isNull()).isTrue();
    String stamp = server.set(12, "b");
    state = client.next("state");
    assertThat(state.get("entries").get(0).get("key").toString()).isEqualTo("[\"a\"]");
    assertThat(state.get("entries").get(1).get("value").asInt()).isEqualTo(12);
    assertThat(state.get("versionstamp").asText()).isEqualTo(stamp);
    server.set(13, "b");
    server.set(14, "b");
    assertThat(client.untilPong()).isEmpty(); // no credit
    client.say("{'op':'credit','id':2,'n':5}");
    assertThat(client.next("state").get("entries").get(1).get("value").asInt()).isEqualTo(14);
    assertThat(client.untilPong()).isEmpty();
  }

  @Test
  void silencesACancelledWatchAndFreesItsId() {
    client.say("{'op':'watch','id':2,'keys':[['a']],'credit':10}");
    client.next("state");
    client.say("{'op':'cancel','id':2}");
    client.untilPong();
    server.set(1, "a");
    assertThat(client.untilPong()).isEmpty();
    client.say("{'op':'watch','id':2,'keys':[['a']],'credit':10}");
    assertThat(client.next("state").get("entries").get(0).get("value").asInt()).isEqualTo(1);
    client.say("{'op':'cancel','id':99}");
    client.say("{'op':'credit','id':99,'n':1}");
    assertThat(client.untilPong()).isEmpty();
  }

  // ---- changes

  @Test
  void followsChanges() {
    client.say("{'op':'changes','id':3,'prefix':['n'],'credit':100}");
    String now = client.next("bookmark").get("versionstamp").asText();
    String one =
        String.valueOf(
            server
                .kv()
                .set(KvKey.of("n", 1), "v", Instant.parse("2100-01-01T00:00:00Z"))
                .block(StreamServer.TIMEOUT));
    server.kv().delete(KvKey.of("n", 1)).block(StreamServer.TIMEOUT);
    server.fill("n", 40, "v");
    server.kv().deleteRange(KvRange.prefix("n")).block(StreamServer.TIMEOUT);
    JsonNode set = client.next("commit");
    assertThat(set.get("versionstamp").asText()).isEqualTo(one).isGreaterThan(now);
    assertThat(set.get("millis").asLong()).isPositive();
    JsonNode change = set.get("changes").get(0);
    assertThat(change.get("type").asText()).isEqualTo("set");
    assertThat(change.get("key").toString()).isEqualTo("[\"n\",1]");
    assertThat(change.get("value").asText()).isEqualTo("v");
    assertThat(change.get("expireAt").asLong()).isEqualTo(4102444800000L);
    change = client.next("commit").get("changes").get(0);
    assertThat(change.get("type").asText()).isEqualTo("delete");
    assertThat(change.get("oldVersionstamp").asText()).isEqualTo(one);
    assertThat(client.next("commit").get("changes")).hasSize(40);
    assertThat(client.next("commit").get("changes").get(0).get("type").asText())
        .isIn("deleteRange", "delete");
  }

  @Test
  void followsChangesWithinTheCreditOfBytes() {
    client.say("{'op':'changes','id':1,'prefix':['big'],'credit':1000,'creditBytes':100000}");
    client.next("bookmark");
    for (int i = 0; i < 10; i++) {
      server.set("x".repeat(50_000), "big", i);
    }
    for (int i = 0; i < 2; i++) { // together above 100,000
      assertThat(client.next("commit").at("/changes/0/key/1").asInt()).isEqualTo(i);
    }
    assertThat(client.untilPong()).isEmpty();
    client.say("{'op':'credit','id':1,'bytes':10000000}");
    for (int i = 2; i < 10; i++) {
      assertThat(client.next("commit").at("/changes/0/key/1").asInt()).isEqualTo(i);
    }
  }

  /** Of commits that fit into one frame together, the last message alone may exceed the credit. */
  @Test
  void followsSmallChangesWithinTheCreditOfBytes() {
    client.say("{'op':'changes','id':1,'prefix':['small'],'credit':1}");
    String since = client.next("bookmark").get("versionstamp").asText();
    client.say("{'op':'cancel','id':1}");
    assertThat(client.untilPong()).isEmpty(); // cancelled before the first commit
    for (int i = 0; i < 30; i++) {
      server.set("x".repeat(400), "small", i);
    }
    client.say(
        "{'op':'changes','id':2,'prefix':['small'],'credit':1000,'creditBytes':3000,'since':'"
            + since
            + "'}");
    assertThat(client.next("commit").at("/changes/0/key/1").asInt()).isZero();
    int sent = 1 + client.untilPong().size();
    assertThat(sent).isLessThanOrEqualTo(7); // of more than 400 bytes
    client.say("{'op':'credit','id':2,'bytes':10000000}");
    for (int i = sent; i < 30; i++) {
      assertThat(client.next("commit").at("/changes/0/key/1").asInt()).isEqualTo(i);
    }
  }

  @Test
  void resumesWithoutGapOrDuplicate() {
    client.say("{'op':'changes','id':3,'prefix':['n'],'credit':1}");
    client.next("bookmark");
    server.set(0, "n", 0);
    String at = client.next("commit").get("versionstamp").asText();
    for (int i = 1; i < 100; i++) {
      server.set(i, "n", i);
    }
    assertThat(client.untilPong()).isEmpty(); // no credit
    client.say("{'op':'cancel','id':3}");
    client.say("{'op':'changes','id':4,'prefix':['n'],'credit':1000,'since':'" + at + "'}");
    for (int i = 1; i < 100; i++) {
      JsonNode commit = client.next("commit");
      assertThat(commit.get("changes").get(0).get("value").asInt()).isEqualTo(i);
    }
  }

  @Test
  void sendsBookmarksOnAFilteredFeed() {
    client.say("{'op':'changes','id':3,'prefix':['n'],'credit':1}");
    String start = client.next("bookmark").get("versionstamp").asText();
    String other = server.set(1, "other");
    JsonNode bookmark = client.next("bookmark"); // after some seconds
    assertThat(bookmark.get("versionstamp").asText()).isEqualTo(other).isGreaterThan(start);
  }

  @Test
  void listsAndThenFollowsWithoutGap() {
    server.fill("n", 300, 0);
    client.say("{'op':'changes','id':3,'prefix':['n'],'credit':10,'list':true}");
    List<JsonNode> frames = new ArrayList<>();
    int listed = 0;
    while (listed < 10) {
      frames.add(client.next("entries"));
      listed += frames.get(frames.size() - 1).get("entries").size();
    }
    assertThat(listed).isEqualTo(10);
    assertThat(client.untilPong()).isEmpty();
    server.set(1, "n", 5); // listed already
    server.set(1, "n", 250); // not yet
    client.say("{'op':'credit','id':3,'n':1000}");
    frames.addAll(client.until("listed"));
    server.set(2, "n", 6);
    do { // entries of the list may come after it
      frames.addAll(client.until("commit"));
    } while (!frames.get(frames.size() - 1).at("/changes/0/key").toString().equals("[\"n\",6]"));
    int[] values = new int[300];
    for (JsonNode frame : frames) {
      frame
          .path("entries")
          .forEach(e -> values[e.get("key").get(1).asInt()] = e.get("value").asInt());
      frame
          .path("changes")
          .forEach(e -> values[e.get("key").get(1).asInt()] = e.get("value").asInt());
    }
    assertThat(entries(frames)).isEqualTo(300);
    assertThat(values[5]).isEqualTo(1);
    assertThat(values[250]).isEqualTo(1);
    assertThat(values[6]).isEqualTo(2);
  }

  // ---- the store

  @Test
  void endsSubscriptionsWhenTheStoreCloses() {
    client.say("{'op':'watch','id':1,'keys':[['a']],'credit':10}");
    client.next("state");
    server.kv().engine().close().block(StreamServer.TIMEOUT);
    assertThat(client.next("end").get("id").asLong()).isEqualTo(1);
  }
}
