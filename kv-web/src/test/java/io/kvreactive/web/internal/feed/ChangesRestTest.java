package io.kvreactive.web.internal.feed;

import static io.kvreactive.web.internal.rest.Rest.key;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.KvKey;
import io.kvreactive.KvOptions;
import io.kvreactive.KvRange;
import io.kvreactive.KvStats;
import io.kvreactive.web.Conditions;
import io.kvreactive.web.LogOf;
import io.kvreactive.web.NonBlockingThreads;
import io.kvreactive.web.RoutesOptions;
import io.kvreactive.web.TestServer;
import io.kvreactive.web.internal.auth.AccessRight;
import io.kvreactive.web.internal.auth.Authenticator;
import io.kvreactive.web.internal.auth.Grant;
import io.kvreactive.web.internal.rest.Answer;
import io.kvreactive.web.internal.rest.Rest;
import io.kvreactive.web.internal.rest.SlowClient;
import io.kvreactive.web.internal.rest.TestServerContext;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Flux;

@ExtendWith(VertxExtension.class)
@ExtendWith(NonBlockingThreads.class)
class ChangesRestTest {
  private static final String ZERO = "00000000000000000000";
  private TestServerContext site;
  private Rest rest;

  @BeforeEach
  void open(Vertx vertx) throws Exception {
    use(new TestServerContext(vertx));
  }

  private void use(TestServerContext other) throws Exception {
    close();
    site = other;
    rest = site.rest();
  }

  @AfterEach
  void close() throws Exception {
    if (site != null) {
      site.close();
    }
  }

  private String put(String... key) {
    return rest.put(key(key), "\"" + String.join("/", key) + "\"").is(200).text("versionstamp");
  }

  private void untilStats(Predicate<KvStats> condition) {
    Flux.defer(() -> site.kv.admin().stats())
        .repeat()
        .delayElements(Duration.ofMillis(5))
        .filter(condition)
        .blockFirst(TestServer.TIMEOUT);
  }

  @Test
  void sendsEveryCommitAsAnEventWithItsVersionstamp() throws Exception {
    String first = put("a", "1");
    try (Events events = Events.of(rest, "?prefix=" + key("a") + "&since=" + ZERO)) {
      Events.Event event = events.next("commit");
      assertThat(event.id()).isEqualTo(first);
      assertThat(event.data().get("versionstamp").asText()).isEqualTo(first);
      assertThat(event.data().get("changes").toString())
          .isEqualTo("[{\"type\":\"set\",\"key\":[\"a\",\"1\"],\"value\":\"a/1\"}]");
      put("b", "elsewhere");
      String second = put("a", "2");
      assertThat(events.next("commit").id()).isEqualTo(second);
      rest.ask("DELETE", "/entry?key=" + key("a", "1"), null).is(200);
      JsonNode change = events.next("commit").data().at("/changes/0");
      assertThat(change.toString())
          .isEqualTo(
              "{\"type\":\"delete\",\"key\":[\"a\",\"1\"],\"oldVersionstamp\":\"%s\"}"
                  .formatted(first));
    }
  }

  @Test
  void resumesAStreamWithoutGapOrDuplicate() throws Exception {
    List<String> written = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      written.add(put("a", "" + i));
    }
    List<String> seen = new ArrayList<>();
    String last = ZERO;
    while (seen.size() < written.size()) {
      // the address has the start of the stream, the header its current position
      try (Events events = Events.of(rest, "?since=" + ZERO, "Last-Event-ID", last)) {
        for (int i = 0; i < 7 && seen.size() < written.size(); i++) {
          last = events.next("commit").id();
          seen.add(last);
        }
      }
    }
    assertThat(seen).isEqualTo(written);
  }

  @Test
  void startsAfterTheAnswerForSinceNow() throws Exception {
    String before = put("a");
    try (Events events = Events.of(rest, "?since=now")) {
      assertThat(events.header("X-Kv-Versionstamp")).isEqualTo(before);
      Events.Event bookmark = events.next();
      assertThat(bookmark.name()).isEqualTo("bookmark");
      assertThat(bookmark.id()).isEqualTo(before);
      String after = put("a");
      assertThat(events.next("commit").id()).isEqualTo(after);
    }
  }

  @Test
  void sendsAListAndThenChangesWithoutGap() throws Exception {
    put("a", "1");
    put("a", "2");
    String last = put("b");
    try (Events events = Events.of(rest, "?list=true&prefix=" + key("a"))) {
      Events.Event entry = events.next();
      assertThat(entry.name()).isEqualTo("entry");
      assertThat(entry.id()).isNull();
      assertThat(entry.data().get("value").asText()).isEqualTo("a/1");
      assertThat(events.next().data().get("value").asText()).isEqualTo("a/2");
      Events.Event listed = events.next();
      assertThat(listed.name()).isEqualTo("listed");
      assertThat(listed.id()).isEqualTo(last);
      String next = put("a", "3");
      assertThat(events.next("commit").id()).isEqualTo(next);
    }
    try (Events resumed = Events.of(rest, "?list=true&prefix=" + key("a"), "Last-Event-ID", last)) {
      assertThat(resumed.next().name()).isEqualTo("commit"); // not listed again
    }
  }

  @Test
  void answersInvalidRequestsWithAStatus() {
    String[] sse = {"Accept", "text/event-stream"};
    rest.get("/changes?since=xyz", sse).problem(400, "INVALID_VERSIONSTAMP");
    rest.get("/changes?since=ffffffffffffffff0000", sse).problem(400, "INVALID_ARGUMENT");
    rest.get("/changes?since=ffffffffffffffff0000").problem(400, "INVALID_ARGUMENT");
    rest.get("/changes?list=true&since=now", sse).problem(400, "BAD_REQUEST");
    rest.get("/changes?waitMs=1", sse).problem(400, "BAD_REQUEST");
    rest.get("/changes?waitMs=60001").problem(400, "BAD_REQUEST");
    rest.get("/changes", "Accept", "text/html").problem(406, "NOT_ACCEPTABLE");
  }

  @Test
  void answersGoneForDroppedHistory(Vertx vertx) throws Exception {
    use(
        new TestServerContext(
            vertx,
            KvOptions.inMemory().withMemoryBytes(1 << 20).withLogRetention(0, Duration.ZERO),
            RoutesOptions.DEFAULT,
            Authenticator.OPEN));
    Flux.range(0, 1000)
        .flatMapSequential(i -> site.kv.set(KvKey.of("n", i % 20), new byte[50_000]), 8)
        .blockLast(TestServer.TIMEOUT);
    Conditions.await(
        () -> rest.get("/changes?since=" + ZERO).response().statusCode() == 410); // removed later
    rest.get("/changes?since=" + ZERO).problem(410, "COMPACTED");
    Answer answer = rest.get("/changes?since=" + ZERO, "Accept", "text/event-stream");
    assertThat(answer.problem(410, "COMPACTED").text("oldest")).hasSize(20);
  }

  @Test
  void sendsHeartbeatsOnAQuietStream(Vertx vertx) throws Exception {
    use(
        new TestServerContext(
            vertx,
            KvOptions.inMemory(),
            RoutesOptions.DEFAULT.withHeartbeat(Duration.ofMillis(5)),
            Authenticator.OPEN));
    try (Events events = Events.of(rest, "")) {
      assertThat(events.next().name()).isEqualTo("bookmark");
      assertThat(events.eventOrComment().comment()).isEmpty();
      assertThat(events.eventOrComment().comment()).isEmpty();
    }
  }

  @Test
  void sendsTheResumePointWhenTheServerStops() throws Exception {
    String last = put("a");
    try (Events events = Events.of(rest, "?since=" + ZERO)) {
      assertThat(events.next("commit").id()).isEqualTo(last);
      site.lifecycle.drain();
      Events.Event away = events.next("goingAway");
      assertThat(away.data().get("resume").asText()).isEqualTo(last);
      assertThat(away.fields().get("retry")).isEqualTo(away.data().get("retryAfterMs").asText());
      assertThat(events.next()).isNull();
    }
  }

  @Test
  void endsStreamsWhenTheirTokenExpires(Vertx vertx) throws Exception {
    Set<AccessRight> read = Set.of(AccessRight.READ);
    List<KvKey> keys = List.of(KvKey.of("a"));
    Authenticator brief = // from the moment at which it is presented
        token -> new Grant("brief", read, keys, Set.of(), Instant.now().plusSeconds(3));
    use(new TestServerContext(vertx, KvOptions.inMemory(), RoutesOptions.DEFAULT, brief));
    Rest shown = rest.as("brief");
    shown.get("/changes").problem(403, "FORBIDDEN");
    try (Events events = Events.of(shown, "?prefix=" + key("a"))) {
      Events.Event error = events.next("error");
      assertThat(error.data().get("code").asText()).isEqualTo("UNAUTHENTICATED");
      assertThat(events.next()).isNull();
    }
    untilStats(stats -> stats.readers().feeds() == 0);
  }

  @Test
  void stopsReadingForASlowCaller() throws Exception {
    int commits = 3000;
    Flux.range(0, commits)
        .flatMap(i -> site.kv.set(KvKey.of("n", i), "x".repeat(10_000)), 16)
        .blockLast(TestServer.TIMEOUT);
    try (SlowClient slow = new SlowClient(site.uri())) {
      slow.get("/changes?since=" + ZERO, "text/event-stream");
      Conditions.await(() -> site.read.get() > 0);
      untilStats(stats -> stats.readers().feeds() == 0); // a position is held, and no feed
      // other callers get the whole range meanwhile
      try (Events events = Events.of(rest, "?since=" + ZERO)) {
        for (int i = 0; i < commits; i++) {
          assertThat(events.next("commit")).isNotNull();
        }
      }
      long bySlow = site.read.get() - commits;
      assertThat(bySlow).isLessThan(commits / 2); // of 30 MB; sockets buffer a part
    }
    untilStats(stats -> stats.readers().feeds() == 0);
  }

  @Test
  void answersAPollAtTheFirstChange() throws Exception {
    String before = put("a");
    CompletableFuture<HttpResponse<String>> waiting =
        Rest.client()
            .sendAsync(
                rest.request("GET", "/changes?waitMs=50000&since=" + before, null),
                BodyHandlers.ofString());
    untilStats(stats -> stats.readers().feeds() == 1);
    String after = put("a");
    JsonNode answer = Rest.json(waiting.get(60, TimeUnit.SECONDS).body());
    assertThat(answer.get("versionstamp").asText()).isEqualTo(after);
    assertThat(answer.at("/commits/0/versionstamp").asText()).isEqualTo(after);
    assertThat(answer.get("commits")).hasSize(1);
  }

  @Test
  void pollsAllCommitsInOrder() {
    List<String> written = new ArrayList<>();
    for (int i = 0; i < 25; i++) {
      written.add(put("a", "" + i));
      put("b");
    }
    List<String> seen = new ArrayList<>();
    String since = ZERO;
    for (boolean more = true; more; ) {
      Answer poll =
          rest.get("/changes?limit=10&prefix=%s&since=%s".formatted(key("a"), since)).is(200);
      JsonNode commits = poll.json().get("commits");
      assertThat(commits.size()).isLessThanOrEqualTo(10);
      commits.forEach(commit -> seen.add(commit.get("versionstamp").asText()));
      since = poll.text("versionstamp");
      assertThat(poll.header("X-Kv-Versionstamp")).isEqualTo(since);
      more = !commits.isEmpty();
    }
    assertThat(seen).isEqualTo(written);
    Answer idle = rest.get("/changes").is(200);
    assertThat(idle.json().get("commits")).isEmpty();
  }

  @Test
  void cancelsAPollWhenTheCallerDisconnects() throws Exception {
    try (SlowClient caller = new SlowClient(site.uri())) {
      caller.get("/changes?waitMs=60000", "application/json");
      untilStats(stats -> stats.readers().feeds() == 1);
    }
    untilStats(stats -> stats.readers().feeds() == 0);
  }

  @Test
  void reportsADeletedRange() throws Exception {
    for (int i = 0; i < 3; i++) {
      put("a", "" + i);
    }
    String since = site.kv.deleteRange(KvRange.prefix("none")).block().toString();
    Flux.range(0, 5000)
        .flatMap(i -> site.kv.set(KvKey.of("many", i), i), 64)
        .blockLast(TestServer.TIMEOUT);
    rest.ask("DELETE", "/entries?prefix=" + key("many"), null).is(200);
    JsonNode found = null;
    while (found == null) {
      Answer poll = rest.get("/changes?limit=10000&since=" + since).is(200);
      since = poll.text("versionstamp");
      for (JsonNode commit : poll.json().get("commits")) {
        JsonNode change = commit.at("/changes/0");
        found = change.get("type").asText().equals("deleteRange") ? change : found;
      }
    }
    assertThat(found.toString()).isEqualTo("{\"type\":\"deleteRange\",\"prefix\":[\"many\"]}");
  }

  @Test
  void answersAPollWithAllPendingChangesUpToItsLimit() {
    String since = site.kv.set(KvKey.of("gathered", 0), 0).block(TestServer.TIMEOUT).toString();
    for (int i = 1; i <= 100; i++) {
      site.kv.set(KvKey.of("gathered", i), i).block(TestServer.TIMEOUT);
    }
    String poll = "/changes?prefix=" + key("gathered") + "&since=" + since;
    assertThat(rest.get(poll).is(200).json().get("commits")).hasSize(100);
    assertThat(rest.get(poll + "&limit=30").is(200).json().get("commits")).hasSize(30);
  }

  /** A deleted value can be larger than the change that reports the deletion. */
  @Test
  void countsOldValuesTowardsTheLimitOfAPoll(Vertx vertx) throws Exception {
    use(
        new TestServerContext(
            vertx,
            KvOptions.inMemory().withOldValues(true),
            RoutesOptions.DEFAULT,
            Authenticator.OPEN));
    byte[] large = new byte[60_000];
    for (int i = 0; i < 100; i++) {
      site.kv.set(KvKey.of("old", i), large).block(TestServer.TIMEOUT);
    }
    String since = put("now");
    for (int i = 0; i < 100; i++) {
      site.kv.delete(KvKey.of("old", i)).block(TestServer.TIMEOUT);
    }
    Answer poll = rest.get("/changes?oldValues=true&limit=10000&since=" + since).is(200);
    assertThat(poll.body()).contains("oldValue");
    assertThat(poll.body().length()).isLessThan(3 << 20);
  }

  /** The answer refers to the server's log, which must contain the error. */
  @Test
  void logsAFailedFeed(Vertx vertx) throws Exception {
    use(new TestServerContext(vertx, BrokenFeeds::afterTheFirst));
    LogOf.begin();
    put("a");
    try (Events events = Events.of(rest, "?since=" + ZERO)) {
      events.next("commit");
      JsonNode error = events.next("error").data();
      assertThat(error.get("code").asText()).isEqualTo("IO_FAILED");
      assertThat(error.get("detail").asText()).doesNotContain("segment");
      assertThat(LogOf.errors()).anyMatch(e -> e.contains(error.get("requestId").asText()));
    }
  }
}
