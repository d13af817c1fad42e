package io.kvreactive.web.internal.collections;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.KvOptions;
import io.kvreactive.web.NonBlockingThreads;
import io.kvreactive.web.RoutesOptions;
import io.kvreactive.web.TestServer;
import io.kvreactive.web.internal.auth.Authenticator;
import io.kvreactive.web.internal.rest.Answer;
import io.kvreactive.web.internal.rest.Rest;
import io.kvreactive.web.internal.rest.SlowClient;
import io.kvreactive.web.internal.rest.TestServerContext;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Flux;

/** Many items in one REST request. */
@ExtendWith(VertxExtension.class)
@ExtendWith(NonBlockingThreads.class)
class LoadRestTest {
  private static final String LOAD = "/collections/people/load";
  private static final String NDJSON = "application/x-ndjson";
  private static final int MAX_LINE = 100_000;

  private TestServerContext site;
  private Rest rest;

  @BeforeEach
  void open(Vertx vertx) throws Exception {
    site =
        new TestServerContext(
            vertx,
            KvOptions.inMemory(),
            RoutesOptions.DEFAULT.withMaxBodyBytes(MAX_LINE),
            Authenticator.OPEN);
    rest = site.rest();
    rest.ask(
            "PUT",
            "/collections/people",
            Rest.body("{\"uniqueKeyPolicy\":{\"uniqueKeys\":[{\"paths\":[\"/mail\"]}]}}"))
        .is(201);
  }

  @AfterEach
  void close() {
    site.close();
  }

  private Answer load(String lines) {
    return rest.post(LOAD, lines, "Content-Type", NDJSON);
  }

  private long count(String where) {
    String query = "{\"query\":\"SELECT VALUE COUNT(1) FROM c " + where + "\"}";
    return rest.post("/collections/people/query", query).is(200).json().at("/items/0").longValue();
  }

  private static String item(int i) {
    return "{\"id\":\"i%d\",\"n\":%d,\"mail\":\"m%d\"}\n".formatted(i, i % 10, i);
  }

  private static String items(int from, int to) {
    return IntStream.range(from, to).mapToObj(LoadRestTest::item).collect(Collectors.joining());
  }

  @Test
  void storesAndFindsManyItems() {
    String lines = "\uFEFF" + items(0, 6000) + "\r\n\n" + items(6000, 12_345).stripTrailing();
    Answer answer = load(lines).is(200);
    assertThat(answer.header("Content-Type")).isEqualTo(NDJSON);
    List<JsonNode> told = answer.lines();
    assertThat(told).extracting(line -> line.get("items").longValue()).isSorted();
    assertThat(told.subList(0, told.size() - 1)).noneMatch(line -> line.get("done").booleanValue());
    JsonNode last = answer.lastLine();
    assertThat(last.get("done").booleanValue()).isTrue();
    assertThat(last.get("items").longValue()).isEqualTo(12_345);
    assertThat(last.get("bytes").longValue()).isGreaterThan(12_345 * 20);
    assertThat(last.get("versionstamp").asText()).matches("[0-9a-f]{20}");
    assertThat(count("WHERE c.n = 3")).isEqualTo(1235);

    // repeated, with other items of the same ids: the last one remains
    String other = "{\"id\":\"i3\",\"n\":77}\n";
    assertThat(load(items(0, 5000) + other).is(200).lastLine().get("items").longValue())
        .isEqualTo(5001);
    assertThat(count("")).isEqualTo(12_345);
    assertThat(count("WHERE c.n = 77")).isEqualTo(1);
  }

  @Test
  void loadsNothingFromAnEmptyBody() {
    JsonNode last = load("").is(200).lastLine();
    assertThat(last.get("done").booleanValue()).isTrue();
    assertThat(last.get("items").longValue()).isZero();
    load(" \n\r\n").is(200);
    assertThat(count("")).isZero();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"id\":\"x\"            | 400 | INVALID_ITEM | line 5003, column 10: unexpected end",
        "[{\"id\":\"x\"}]         | 400 | INVALID_ITEM | line 5003: array (expected: a JSON object",
        "{\"n\":1}                | 400 | INVALID_ITEM | line 5003: id: none (expected: a text)",
        "{\"id\":\"a/b\"}         | 400 | INVALID_ITEM | line 5003: id: \"a/b\"",
        "{\"id\":\"x\",\"ttl\":0} | 400 | INVALID_ITEM | line 5003: ttl: 0 (expected",
        "{\"id\":\"x\",\"mail\":\"m7\"} | 409 | ITEM_EXISTS | line 5003: ",
      })
  void endsAtAnInvalidLineAfterStoringThePrecedingLines(
      String line, int status, String code, String detail) {
    String lines = items(0, 4999) + "\n \n" + item(4999) + line + "\n" + items(5000, 5010);
    JsonNode problem = load(lines).problemOfWork(status, code);
    assertThat(problem.get("detail").asText())
        .startsWith(detail)
        .endsWith("; items stored: 5000")
        .doesNotContain("of the load");
    // an invalid item in a batch is isolated by single writes, and some later items are stored
    assertThat(count("WHERE c.n < 10")).isBetween(5000L, 5010L);
  }

  @Test
  void limitsTheLengthOfLines() {
    String long1 = "{\"id\":\"l\",\"text\":\"" + "x".repeat(MAX_LINE) + "\"}\n";
    JsonNode problem =
        load(item(1) + long1 + item(2) + "x".repeat(5_000_000))
            .problemOfWork(400, "LIMIT_EXCEEDED");
    assertThat(problem.get("detail").asText())
        .startsWith("line 2: too long (expected: at most " + MAX_LINE + " bytes)");
    assertThat(count("")).isEqualTo(1);

    String deep = "{\"id\":\"d\",\"a\":" + "[".repeat(200) + "]".repeat(200) + "}\n";
    assertThat(load(item(3) + deep).problemOfWork(413, "ITEM_TOO_LARGE").get("detail").asText())
        .startsWith("line 2: item nested too deep");
    load("{\"id\":\"d\",\"a\":" + "[".repeat(40_000)).problemOfWork(400, "INVALID_ITEM");
    assertThat(count("")).isEqualTo(2);
  }

  @Test
  void rejectsLinesThatAreNotUtf8() {
    byte[] bytes = {' ', '\n', '{', '"', (byte) 0xFF, '"', '}'};
    Answer answer =
        rest.ask("POST", LOAD, BodyPublishers.ofByteArray(bytes), "Content-Type", NDJSON);
    assertThat(answer.problemOfWork(400, "INVALID_ARGUMENT").get("detail").asText())
        .isEqualTo("line 2: byte 2 is 0xff (expected: UTF-8); items stored: 0");
  }

  @Test
  void rejectsInvalidLoadRequests() {
    rest.post(LOAD, item(1), "Content-Type", "application/json")
        .problem(415, "UNSUPPORTED_MEDIA_TYPE");
    rest.post(LOAD + "?x=1", item(1), "Content-Type", NDJSON).problem(400, "BAD_REQUEST");
    for (String lines : List.of("", item(1), items(0, 100_000))) {
      rest.post("/collections/none/load", lines, "Content-Type", NDJSON)
          .problem(404, "COLLECTION_NOT_FOUND");
    }
    assertThat(count("")).isZero();
  }

  @Test
  void storesItemsAsTheyArriveAndEndsWhenTheCallerDisconnects() throws Exception {
    String first = items(0, 9000);
    try (SlowClient slow = new SlowClient(site.uri())) {
      slow.send(
          "POST /api/v1%s HTTP/1.1\r\nHost: x\r\nContent-Type: %s\r\nExpect: 100-continue\r\n"
                  .formatted(LOAD, NDJSON)
              + "Content-Length: 100000000\r\n\r\n");
      assertThat(new String(slow.in().readNBytes(25))).startsWith("HTTP/1.1 100 Continue");
      slow.send(first + "{\"id\":\"half");
      Flux.defer(() -> Flux.just(count("")))
          .repeat()
          .filter(count -> count >= 8000) // of an unfinished body
          .blockFirst(TestServer.TIMEOUT);
    }
    site.lifecycle.idle().block(TestServer.TIMEOUT);
    assertThat(count("")).isLessThanOrEqualTo(9000);
  }

  @Test
  void loadsOverHttp2() throws Exception {
    HttpClient http2 = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build();
    http2.send(rest.request("GET", "/info", null), BodyHandlers.ofString()); // by upgrade
    for (int each : new int[] {0, 1, 7000}) {
      HttpResponse<String> answer =
          http2.send(
              rest.request("POST", LOAD, Rest.body(items(0, each)), "Content-Type", NDJSON),
              BodyHandlers.ofString());
      assertThat(answer.version()).isEqualTo(HttpClient.Version.HTTP_2);
      assertThat(answer.body()).contains("\"done\":true,\"items\":" + each + ",");
    }
    HttpResponse<String> none =
        http2.send(
            rest.request(
                "POST",
                "/collections/none/load",
                Rest.body(items(0, 20_000)),
                "Content-Type",
                NDJSON),
            BodyHandlers.ofString());
    assertThat(none.statusCode()).isEqualTo(404);
    assertThat(count("")).isEqualTo(7000);
  }

  @Test
  void supportsConcurrentLoads() {
    List<Answer> answers =
        IntStream.range(0, 4)
            .parallel()
            .mapToObj(i -> load(items(2000 * i, 2000 * i + 4000)))
            .toList();
    assertThat(answers).allMatch(answer -> answer.is(200).lastLine().get("done").booleanValue());
    assertThat(count("")).isEqualTo(10_000);
  }
}
