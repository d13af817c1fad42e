package io.kvreactive.web.internal.rest;

import static io.kvreactive.web.internal.rest.Rest.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.web.NonBlockingThreads;
import io.kvreactive.web.TestServer;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(VertxExtension.class)
@ExtendWith(NonBlockingThreads.class)
class EntryRestTest {
  private static TestServer server;
  private static Rest rest;

  @BeforeAll
  static void start(Vertx vertx) {
    server = TestServer.start(vertx);
    rest = new Rest(server);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @BeforeEach
  void empty() {
    rest.clear();
  }

  @Test
  void readsStoredValues() {
    Answer put = rest.put(key("users", "ada"), "{\"name\":\"Ada\",\"age\":36}").is(200);
    String stamp = put.text("versionstamp");
    assertThat(put.header("X-Kv-Versionstamp")).isEqualTo(stamp);
    Answer got = rest.get("/entry?key=" + key("users", "ada")).is(200);
    assertThat(got.json().toString())
        .isEqualTo(
            "{\"key\":[\"users\",\"ada\"],\"value\":{\"name\":\"Ada\",\"age\":36},\"versionstamp\":\""
                + stamp
                + "\"}");
    assertThat(got.header("ETag")).isEqualTo('"' + stamp + '"');
    assertThat(got.header("X-Kv-Versionstamp")).isEqualTo(stamp);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "null",
        "true",
        "12",
        "12.0",
        "-1.5E300",
        "\"text \u00e9 \ud83d\ude00\"",
        "[1,[2,{\"a\":null}]]",
        "{\"$bigint\":\"123456789012345678901234567890\"}",
        "{\"$u64\":\"18446744073709551615\"}",
        "{\"$bytes\":\"AQI=\"}",
        "{\"$date\":\"1970-01-01T00:00:00Z\"}",
        "{\"$map\":[[\"a\",1],[2,\"b\"]]}",
        "{\"$set\":[1,\"a\"]}",
        "{\"$number\":\"NaN\"}",
        "{\"$number\":\"-0\"}",
        "{\"$undefined\":true}",
        "{\"$sparse\":[1,{\"$hole\":true},3]}",
        "{\"$object\":{\"$id\":1}}",
        "{\"$string\":[\"cut \",55357]}",
        "{\"$regexp\":{\"source\":\"a+\",\"flags\":\"gi\"}}",
      })
  void roundTripsValues(String value) {
    rest.put(key("v"), value).is(200);
    assertThat(rest.get("/entry?key=" + key("v")).is(200).json().get("value").toString())
        .isEqualTo(Rest.json(value).toString());
  }

  @Test
  void distinguishesKeysOfAllKinds() {
    String[] keys = {
      "[{\"$bytes\":\"AQI=\"}]", "[\"12\"]", "[{\"$bigint\":\"12\"}]", "[12]", "[false]", "[true]"
    };
    for (String key : keys) {
      rest.put(Rest.encode(key), "\"x\"").is(200);
    }
    Answer listed = rest.get("/entries").is(200);
    assertThat(listed.json().get("entries").findValuesAsText("value")).hasSize(keys.length);
    for (int i = 0; i < keys.length; i++) {
      assertThat(listed.json().get("entries").get(i).get("key")).isEqualTo(Rest.json(keys[i]));
    }
  }

  @Test
  void storesAndReadsBytes() throws Exception {
    byte[] bytes = new byte[1 << 20];
    new java.util.Random(1).nextBytes(bytes);
    Answer put =
        rest.ask(
            "PUT",
            "/entry?key=" + key("b"),
            HttpRequest.BodyPublishers.ofByteArray(bytes),
            "Content-Type",
            "application/octet-stream");
    put.is(200);
    HttpResponse<byte[]> got =
        rest.raw("GET", "/entry?key=" + key("b"), "Accept", "application/octet-stream");
    assertThat(got.statusCode()).isEqualTo(200);
    assertThat(got.body()).isEqualTo(bytes);
    assertThat(rest.get("/entry?key=" + key("b")).json().at("/value/$bytes").asText())
        .isEqualTo(java.util.Base64.getEncoder().encodeToString(bytes));
    rest.put(key("b"), "1").is(200);
    rest.get("/entry?key=" + key("b"), "Accept", "application/octet-stream")
        .problem(406, "NOT_ACCEPTABLE");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "application/octet-stream, application/json;q=0.5 | octet-stream | json",
        "application/octet-stream, */*;q=0.1 | octet-stream | json",
        "application/octet-stream, application/json | octet-stream | json",
        "application/json;q=0.5, application/octet-stream;q=0.4 | json | json",
        "application/json;q=0.1, */* | octet-stream | json",
        "application/octet-stream;q=0.1, application/* | json | json",
        "*/*, application/octet-stream;q=0 | json | json",
        "*/* | json | json",
      })
  void answersWithThePreferredMediaTypeOfTheValue(String accept, String ofBytes, String ofJson)
      throws Exception {
    rest.ask(
            "PUT",
            "/entry?key=" + key("b"),
            HttpRequest.BodyPublishers.ofByteArray(new byte[] {1}),
            "Content-Type",
            "application/octet-stream")
        .is(200);
    rest.put(key("a"), "1").is(200);
    assertThat(typeOf(key("b"), accept)).isEqualTo("application/" + ofBytes);
    assertThat(typeOf(key("a"), accept)).isEqualTo("application/" + ofJson);
  }

  private static String typeOf(String key, String accept) throws Exception {
    HttpResponse<byte[]> got = rest.raw("GET", "/entry?key=" + key, "Accept", accept);
    assertThat(got.statusCode()).isEqualTo(200);
    return got.headers().firstValue("Content-Type").orElse("none");
  }

  @Test
  void respectsExcludedMediaTypes() throws Exception {
    String accept = "application/json;q=0, */*";
    rest.put(key("a"), "1").is(200);
    rest.get("/entry?key=" + key("a"), "Accept", accept).problem(406, "NOT_ACCEPTABLE");
    HttpResponse<byte[]> lines = rest.raw("GET", "/entries?prefix=%5B%5D", "Accept", accept);
    assertThat(lines.headers().firstValue("Content-Type")).hasValue("application/x-ndjson");
  }

  @Test
  void answersAnAbsentKeyWithAProblem() {
    Answer got = rest.get("/entry?key=" + key("no")).problem(404, "NO_SUCH_KEY");
    assertThat(got.header("X-Kv-Versionstamp")).hasSize(20);
  }

  @Test
  void answersNotModifiedForTheNewestEtag() {
    rest.put(key("a"), "1").is(200);
    String tag = rest.get("/entry?key=" + key("a")).header("ETag");
    Answer same = rest.get("/entry?key=" + key("a"), "If-None-Match", "\"x\", " + tag).is(304);
    assertThat(same.body()).isEmpty();
    rest.put(key("a"), "2").is(200);
    rest.get("/entry?key=" + key("a"), "If-None-Match", tag).is(200);
  }

  @Test
  void checksConditionsOfWrites() {
    String path = "/entry?key=" + key("c");
    rest.put(key("c"), "1", "If-None-Match", "*").is(200);
    rest.put(key("c"), "2", "If-None-Match", "*").problem(412, "CHECK_FAILED");
    String tag = rest.get(path).header("ETag");
    rest.put(key("c"), "3", "If-Match", tag).is(200);
    rest.put(key("c"), "4", "If-Match", tag).problem(412, "CHECK_FAILED");
    rest.ask("DELETE", path, null, "If-Match", tag).problem(412, "CHECK_FAILED");
    assertThat(rest.get(path).json().get("value").intValue()).isEqualTo(3);
    rest.ask("DELETE", path, null, "If-Match", rest.get(path).header("ETag")).is(200);
    rest.get(path).is(404);
    rest.ask("DELETE", path, null).is(200);
  }

  @ParameterizedTest
  @CsvSource({"If-Match,abc", "If-Match,\"12\"", "If-None-Match,abc"})
  void rejectsMalformedConditions(String header, String value) {
    rest.put(key("c"), "1", header, value).problem(400, "BAD_REQUEST");
  }

  @Test
  void executesARepeatedWriteOnce() {
    Answer first = rest.put(key("i"), "1", "Idempotency-Key", "order-1").is(200);
    rest.put(key("i"), "2").is(200);
    Answer again = rest.put(key("i"), "1", "Idempotency-Key", "order-1").is(200);
    assertThat(again.text("versionstamp")).isEqualTo(first.text("versionstamp"));
    assertThat(rest.get("/entry?key=" + key("i")).json().get("value").intValue()).isEqualTo(2);
    rest.put(key("i"), "1", "Idempotency-Key", "with space").problem(400, "BAD_REQUEST");
    rest.put(key("i"), "1", "Idempotency-Key", "x".repeat(256)).problem(400, "BAD_REQUEST");
  }

  @Test
  void expiresAndTouchesKeys() {
    rest.ask("PUT", "/entry?expireAt=9999999999999&key=" + key("e"), Rest.body("1")).is(200);
    String path = "/entry?key=" + key("e");
    assertThat(rest.get(path).json().get("expireAt").longValue()).isEqualTo(9999999999999L);
    Answer touched =
        rest.ask("POST", "/entry/touch?expireIn=3600000&key=" + key("e"), null).is(200);
    assertThat(rest.get(path).text("versionstamp")).isEqualTo(touched.text("versionstamp"));
    assertThat(rest.get(path).json().get("expireAt").longValue()).isLessThan(9999999999999L);
    rest.ask("POST", "/entry/touch?expireAt=0&key=" + key("e"), null).is(200);
    assertThat(rest.get(path).json().has("expireAt")).isFalse();
    rest.ask("POST", "/entry/touch?expireAt=1&key=" + key("e"), null).is(200);
    rest.get(path).problem(404, "NO_SUCH_KEY");
    rest.ask("POST", "/entry/touch?expireIn=1&key=" + key("e"), null).problem(404, "NO_SUCH_KEY");
    rest.ask("POST", "/entry/touch?key=" + key("e"), null).problem(400, "BAD_REQUEST");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/entry|BAD_REQUEST",
        "/entry?key=|BAD_REQUEST",
        "/entry?key=[1|BAD_REQUEST",
        "/entry?key=[1]x|BAD_REQUEST",
        "/entry?key=1|INVALID_KEY",
        "/entry?key=[null]|INVALID_KEY",
        "/entry?key=[]|INVALID_KEY",
        "/entry?key=[1]&key=[2]|BAD_REQUEST",
        "/entry?key=[1]&kye=[2]|BAD_REQUEST",
        "/entry?key=%FF|BAD_REQUEST",
      })
  void rejectsInvalidQueryStrings(String path, String code) {
    Answer answer = rest.get(path.replace("[", "%5B").replace("]", "%5D")).problem(400, code);
    assertThat(answer.text("detail")).isNotEmpty();
  }

  @Test
  void reportsAnUnknownParameterWithTheKnownOnes() {
    assertThat(rest.get("/entry?kye=%5B1%5D").problem(400, "BAD_REQUEST").text("detail"))
        .contains("kye")
        .contains("key");
  }

  @Test
  void rejectsBodiesOfOtherMediaTypes() {
    rest.put(key("t"), "1", "Content-Type", "text/plain").problem(415, "UNSUPPORTED_MEDIA_TYPE");
    rest.put(key("t"), "1", "Content-Encoding", "gzip").problem(415, "UNSUPPORTED_MEDIA_TYPE");
    rest.put(key("t"), "a=1", "Content-Type", "application/x-www-form-urlencoded")
        .problem(415, "UNSUPPORTED_MEDIA_TYPE");
  }

  @Test
  void rejectsMalformedValues() {
    rest.put(key("t"), "{").problem(400, "BAD_REQUEST");
    rest.put(key("t"), "").problem(400, "BAD_REQUEST");
    rest.put(key("t"), "{\"a\":1,\"a\":2}").problem(400, "BAD_REQUEST");
    rest.put(key("t"), "{\"$bigint\":\"x\"}").problem(400, "INVALID_VALUE");
    rest.put(key("t"), "9007199254740993").problem(400, "INVALID_VALUE");
    rest.put(key("t"), "[".repeat(100_000)).problem(400, "BAD_REQUEST");
    rest.put(key("t"), "\"" + "x".repeat(9 << 20) + "\"").problem(400, "LIMIT_EXCEEDED");
  }

  @Test
  void rejectsBodiesOfTooManyChunks() {
    rest.put(key("t"), "[" + "[],".repeat(600_000) + "1]").problem(400, "BAD_REQUEST");
    rest.post("/entries/get", "{\"keys\":[" + "[1],".repeat(10_000) + "[1]]}")
        .problem(400, "BAD_REQUEST");
    rest.post("/entries/get", "{\"keys\":[]}").problem(400, "BAD_REQUEST");
  }

  @Test
  void rejectsTooLargeBodies() {
    rest.put(key("t"), "\"" + "x".repeat(17 << 20) + "\"").problem(413, "PAYLOAD_TOO_LARGE");
  }

  @Test
  void storesAndReadsALargeValue() {
    String large = "\"" + "\u00e9".repeat(3 << 20) + "\"";
    rest.put(key("large"), large).is(200);
    assertThat(rest.get("/entry?key=" + key("large")).json().get("value").asText())
        .hasSize(3 << 20);
    assertThat(large.getBytes(StandardCharsets.UTF_8)).hasSizeGreaterThan(6 << 20);
  }

  @Test
  void rejectsOtherMethods() {
    rest.ask("PATCH", "/entry?key=" + key("t"), Rest.body("1")).problem(405, "METHOD_NOT_ALLOWED");
    rest.get("/nothing").problem(404, "NOT_FOUND");
  }
}
