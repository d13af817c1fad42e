package io.kvreactive.web.internal.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.KvKey;
import io.kvreactive.KvOptions;
import io.kvreactive.KvRange;
import io.kvreactive.KvStats;
import io.kvreactive.testing.Tries;
import io.kvreactive.web.RoutesOptions;
import io.kvreactive.web.TestServer;
import io.kvreactive.web.internal.auth.Authenticator;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Flux;

/** Bodies that exceed the memory: backpressure in both directions, and callers that disconnect. */
@ExtendWith(VertxExtension.class)
class StreamRestTest {
  private static final int ENTRIES = Tries.of(3000, 6000);
  private static final String NDJSON = "application/x-ndjson";

  private TestServerContext site;

  @BeforeEach
  void open(Vertx vertx) throws Exception {
    site =
        new TestServerContext(
            vertx,
            KvOptions.inMemory(),
            RoutesOptions.DEFAULT.withMaxBodyBytes(100_000),
            Authenticator.OPEN);
  }

  @AfterEach
  void close() {
    site.close();
  }

  /** 30 MB or more, of which the sockets buffer a few. */
  private void fill() {
    fill(ENTRIES);
  }

  private void fill(int entries) {
    String value = "x".repeat(10_000);
    Flux.range(0, entries)
        .flatMap(i -> site.kv.set(KvKey.of("n", i), value), 64)
        .blockLast(TestServer.TIMEOUT);
  }

  private void untilStats(Predicate<KvStats> condition) {
    Flux.defer(() -> site.kv.admin().stats())
        .repeat()
        .delayElements(Duration.ofMillis(5))
        .filter(condition)
        .blockFirst(TestServer.TIMEOUT);
  }

  @Test
  void stopsReadingTheStoreForASlowCaller() throws Exception {
    fill();
    try (SlowClient slow = new SlowClient(site.uri())) {
      slow.get("/entries", NDJSON);
      untilStats(stats -> stats.readers().snapshots() == 1 && site.read.get() > 0);
      long before = site.read.get();
      assertThat(site.rest().get("/entries", "Accept", NDJSON).is(200).body().lines())
          .hasSize(ENTRIES); // another caller gets the whole answer meanwhile
      long bySlow = site.read.get() - ENTRIES;
      assertThat(bySlow).isBetween(before, (long) ENTRIES / 2);
      assertThat(slow.rest().lines().filter(line -> line.startsWith("{\"key\""))).hasSize(ENTRIES);
      assertThat(site.read.get()).isEqualTo(2L * ENTRIES);
    }
    untilStats(stats -> stats.readers().snapshots() == 0);
  }

  @Test
  void holdsFewEntriesOfManyKeysAtATime() throws Exception {
    fill();
    StringBuilder keys = new StringBuilder("{\"keys\":[[\"n\",0]");
    for (int i = 0; i < ENTRIES; i++) {
      keys.append(",[\"n\",").append(i).append(']');
    }
    keys.append("]}");
    assertThat(keys.length()).isLessThan(100_000);
    try (SlowClient slow = new SlowClient(site.uri())) {
      slow.send(
          "POST /api/v1/entries/get HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
              + "Connection: close\r\nContent-Length: %d\r\n\r\n%s".formatted(keys.length(), keys));
      untilStats(stats -> site.read.get() > 0);
      assertThat(site.rest().get("/entries", "Accept", NDJSON).is(200).body().lines())
          .hasSize(ENTRIES);
      assertThat(site.read.get() - ENTRIES).isLessThan(ENTRIES / 2);
      assertThat(slow.rest()).endsWith("\"}\r\n0\r\n\r\n");
      assertThat(site.read.get() - ENTRIES).isEqualTo(ENTRIES + 1);
    }
  }

  @Test
  void streamsOverHttp2() throws Exception {
    int entries = 500;
    fill(entries);
    HttpClient http2 = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build();
    HttpRequest list = site.rest().request("GET", "/entries", null, "Accept", NDJSON);
    for (int i = 0; i < 2; i++) { // by an upgrade, then by prior knowledge
      HttpResponse<Stream<String>> response = http2.send(list, HttpResponse.BodyHandlers.ofLines());
      assertThat(response.body()).hasSize(entries);
      assertThat(response.version()).isEqualTo(HttpClient.Version.HTTP_2);
    }
    HttpRequest events =
        site.rest()
            .request(
                "GET", "/changes?since=" + "0".repeat(20), null, "Accept", "text/event-stream");
    try (Stream<String> lines = http2.send(events, HttpResponse.BodyHandlers.ofLines()).body()) {
      assertThat(lines.filter(line -> line.startsWith("id: ")).limit(entries)).hasSize(entries);
    }
    untilStats(stats -> stats.readers().feeds() == 0);
  }

  @Test
  void cancelsAListWhenTheCallerDisconnects() throws Exception {
    fill();
    try (SlowClient slow = new SlowClient(site.uri())) {
      slow.get("/export", NDJSON);
      untilStats(stats -> stats.readers().snapshots() == 1 && site.read.get() > 0);
    }
    untilStats(stats -> stats.readers().snapshots() == 0);
    assertThat(site.read.get()).as("entries read").isLessThan(ENTRIES);
  }

  @Test
  void storesAnImportAsItArrives() throws Exception {
    String line = "{\"key\":[%d],\"value\":\"" + "x".repeat(1000) + "\"}\n";
    StringBuilder piece = new StringBuilder();
    int half = 3000;
    for (int i = 0; i < half; i++) {
      piece.append(line.formatted(i));
    }
    try (SlowClient slow = new SlowClient(site.uri())) {
      slow.send(
          "POST /api/v1/import HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-ndjson\r\n"
              + "Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n");
      byte[] goOn = slow.in().readNBytes(25);
      assertThat(new String(goOn)).startsWith("HTTP/1.1 100 Continue");
      slow.send("%x\r\n%s\r\n".formatted(piece.length(), piece));
      Flux.defer(() -> site.kv.count(KvRange.all()))
          .repeat()
          .filter(count -> count >= 2000) // of an unfinished body
          .blockFirst(TestServer.TIMEOUT);
      String last = line.formatted(half).stripTrailing(); // also without a line feed at the end
      slow.send("%x\r\n%s\r\n0\r\n\r\n".formatted(last.length(), last));
      String answer = readUntil(slow, "\"done\":true");
      assertThat(answer).startsWith("HTTP/1.1 200").contains("\"entries\":" + (half + 1));
    }
    assertThat(site.kv.count(KvRange.all()).block(TestServer.TIMEOUT)).isEqualTo(half + 1);
  }

  private static String readUntil(SlowClient client, String text) throws Exception {
    StringBuilder read = new StringBuilder();
    while (read.indexOf(text) < 0) {
      int next = client.in().read();
      assertThat(next).as(read.toString()).isNotNegative();
      read.append((char) next);
    }
    while (read.charAt(read.length() - 1) != '}') {
      read.append((char) client.in().read());
    }
    return read.toString();
  }

  @Test
  void endsAnImportWhenTheCallerDisconnects() throws Exception {
    try (SlowClient slow = new SlowClient(site.uri())) {
      slow.send(
          "POST /api/v1/import HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-ndjson\r\n"
              + "Content-Length: 1000000\r\n\r\n{\"key\":[1],\"value\":1}\n{\"key\":[2]");
      Flux.defer(() -> Flux.just(site.lifecycle.underWay()))
          .repeat()
          .filter(count -> count == 1)
          .blockFirst(TestServer.TIMEOUT);
    }
    site.lifecycle.idle().block(TestServer.TIMEOUT);
    assertThat(site.kv.get(KvKey.of(2)).block(TestServer.TIMEOUT).exists()).isFalse();
  }

  @Test
  void limitsTheLengthOfLines() {
    Answer answer =
        site.rest()
            .post(
                "/import",
                "{\"key\":[1],\"value\":1}\n\"" + "x".repeat(5_000_000),
                "Content-Type",
                NDJSON);
    assertThat(answer.problemOfWork(400, "LIMIT_EXCEEDED").get("detail").asText())
        .contains("line 2");
    assertThat(site.kv.count(KvRange.all()).block(TestServer.TIMEOUT)).isEqualTo(1);
    site.rest().put(Rest.key("a"), "\"" + "x".repeat(100_000) + "\"").is(413);
  }

  @Test
  void rejectsLinesThatAreNotUtf8() throws Exception {
    Answer answer =
        site.rest()
            .ask(
                "POST",
                "/import",
                java.net.http.HttpRequest.BodyPublishers.ofByteArray(
                    new byte[] {'{', '"', (byte) 0xFF, '"', '}'}),
                "Content-Type",
                NDJSON);
    assertThat(answer.problem(400, "INVALID_ARGUMENT").text("detail"))
        .contains("line 1")
        .contains("UTF-8");
  }
}
