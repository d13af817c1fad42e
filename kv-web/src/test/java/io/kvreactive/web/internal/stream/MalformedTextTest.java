package io.kvreactive.web.internal.stream;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.web.SecurityOptions;
import io.kvreactive.web.ServerOptions;
import io.kvreactive.web.TestServer;
import io.kvreactive.web.internal.rest.Answer;
import io.kvreactive.web.internal.rest.Rest;
import io.kvreactive.web.internal.rest.SlowClient;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every interface rejects bytes that are not UTF-8, and stores nothing. */
@ExtendWith(VertxExtension.class)
class MalformedTextTest {
  private static final String NDJSON = "application/x-ndjson";
  private static final byte[] MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};
  private static StreamServer server;
  private static URI uri;
  private static Rest rest;

  /** A request with a body. The mark inside of a string is replaced by the malformed bytes. */
  private record Surface(String method, String path, String type, String body) {
    private static final String HERE = "@";

    byte[] with(byte[] bytes) {
      int at = body.indexOf(HERE);
      return joined(ascii(body.substring(0, at)), bytes, ascii(body.substring(at + 1)));
    }

    int offset() {
      return body.indexOf(HERE);
    }
  }

  private static final List<Surface> DOCUMENTS =
      List.of(
          new Surface("PUT", "/entry?key=%5B1%5D", "application/json", "\"@\""),
          new Surface("PUT", "/entry?key=%5B1%5D", "application/json", "{\"@\":1}"),
          new Surface(
              "POST",
              "/atomic",
              "application/json",
              "{\"mutations\":[{\"type\":\"set\",\"key\":[\"@\"],\"value\":1}]}"),
          new Surface("POST", "/entries/get", "application/json", "{\"keys\":[[\"@\"]]}"),
          new Surface("POST", "/enqueue", "application/json", "{\"queue\":\"q\",\"value\":\"@\"}"),
          new Surface("POST", "/queue/ack", "application/json", "{\"token\":\"@\"}"),
          new Surface("POST", "/collections/t/items", "application/json", "{\"id\":\"@\"}"),
          new Surface("PUT", "/collections/t/items/a", "application/json", "{\"n\":\"@\"}"),
          new Surface(
              "PATCH",
              "/collections/t/items/a",
              "application/json",
              "{\"operations\":[{\"op\":\"set\",\"path\":\"/n\",\"value\":\"@\"}]}"),
          new Surface(
              "POST",
              "/collections/t/query",
              "application/json",
              "{\"query\":\"SELECT '@' AS a\"}"),
          new Surface(
              "PUT",
              "/collections/other",
              "application/json",
              "{\"partitionKey\":{\"paths\":[\"/\\\"@\\\"\"]}}"));

  private static final List<Surface> LINES =
      List.of(
          new Surface("POST", "/import", NDJSON, "{\"key\":[\"@\"],\"value\":1}"),
          new Surface("POST", "/collections/t/load", NDJSON, "{\"id\":\"@\"}"));

  @BeforeAll
  static void start(Vertx vertx) {
    server = StreamServer.start(vertx);
    uri = URI.create("http://127.0.0.1:" + server.port());
    rest = new Rest(uri);
    rest.ask("PUT", "/collections/t", Rest.body("{}")).is(201);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static byte[] joined(byte[]... parts) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      out.writeBytes(part);
    }
    return out.toByteArray();
  }

  private static Answer send(Surface surface, byte[] body) {
    return rest.ask(
        surface.method(),
        surface.path(),
        BodyPublishers.ofByteArray(body),
        "Content-Type",
        surface.type());
  }

  /** Returns the number of entries, including those of items. */
  private static long stored() {
    return server.kv().count(KvRange.prefix(KvKey.EMPTY)).block(TestServer.TIMEOUT);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ff",
        "fffec080",
        "80",
        "c080",
        "c1bf",
        "e08080",
        "eda080",
        "edb080",
        "eda0bdedb880",
        "f0808080",
        "f4908080",
        "f8888080",
        "e282",
        "c3"
      })
  void rejectsBodiesWithTheOffset(String hex) {
    byte[] malformed = HexFormat.of().parseHex(hex);
    String first = "byte %d is 0x" + hex.substring(0, 2) + " (expected: UTF-8)";
    long before = stored();
    for (Surface surface : DOCUMENTS) {
      Answer answer = send(surface, surface.with(malformed)).problem(400, "BAD_REQUEST");
      assertThat(answer.text("detail")).isEqualTo("body: " + first.formatted(surface.offset()));
    }
    for (Surface surface : LINES) {
      JsonNode problem =
          send(surface, surface.with(malformed)).problemOfWork(400, "INVALID_ARGUMENT");
      assertThat(problem.get("detail").asText())
          .contains("line 1: " + first.formatted(surface.offset()));
    }
    assertThat(stored()).isEqualTo(before);
  }

  @Test
  void rejectsLargeBodiesLikeSmallOnes() {
    for (int size : List.of(10_000, 65_530, 100_000, 400_000)) {
      byte[] body = ascii("[\"" + "x".repeat(size) + "\"]");
      body[size - 1] = (byte) 0xFF;
      Answer answer = rest.ask("PUT", "/entry?key=%5B1%5D", BodyPublishers.ofByteArray(body));
      assertThat(answer.problem(400, "BAD_REQUEST").text("detail"))
          .isEqualTo("body: byte " + (size - 1) + " is 0xff (expected: UTF-8)");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"UTF-16", "UTF-16BE", "UTF-16LE", "UTF-32", "UTF-32BE", "UTF-32LE"})
  void rejectsOtherEncodings(String charset) {
    long before = stored();
    for (Surface surface : DOCUMENTS) {
      send(surface, surface.body().getBytes(Charset.forName(charset))).problem(400, "BAD_REQUEST");
    }
    for (Surface surface : LINES) {
      Answer answer = send(surface, surface.body().getBytes(Charset.forName(charset)));
      assertThat(answer.body()).contains("\"status\":400");
    }
    assertThat(stored()).isEqualTo(before);
  }

  @Test
  void skipsAByteOrderMarkBeforeADocument() throws Exception {
    byte[] text = "ä😀".getBytes(StandardCharsets.UTF_8);
    for (Surface surface : DOCUMENTS) {
      Answer answer = send(surface, joined(MARK, surface.with(text)));
      if (!surface.path().equals("/queue/ack")) {
        assertThat(answer.response().statusCode())
            .as(answer.request() + answer.body())
            .isLessThan(300);
      }
    }
    for (Surface surface : LINES) {
      send(surface, joined(MARK, surface.with(text))).is(200);
    }
    byte[] large = ascii("\"" + "x".repeat(100_000) + "\"");
    rest.ask("PUT", "/entry?key=%5B2%5D", BodyPublishers.ofByteArray(joined(MARK, large))).is(200);
    try (RawPeer peer = new RawPeer(server.port())) {
      assertThat(peer.say(joined(MARK, ascii("{\"op\":\"ping\"}"))).next().get("type").asText())
          .isEqualTo("pong");
    }
    rest.clear();
    rest.ask("PUT", "/collections/t", Rest.body("{}")).is(201);
  }

  @ParameterizedTest
  @ValueSource(strings = {"ff", "c080", "eda080", "f4908080", "e282"})
  void rejectsWebSocketMessages(String hex) throws Exception {
    try (RawPeer peer = new RawPeer(server.port())) {
      byte[] frame =
          joined(
              ascii("{\"op\":\"watch\",\"id\":1,\"credit\":1,\"keys\":[[\""),
              HexFormat.of().parseHex(hex),
              ascii("\"]]}"));
      JsonNode error = peer.say(frame).next();
      assertThat(error.get("code").asText()).isEqualTo("BAD_REQUEST");
      assertThat(error.get("detail").asText())
          .isEqualTo("not JSON: byte 42 is 0x" + hex.substring(0, 2) + " (expected: UTF-8)");
      assertThat(peer.next()).isNull();
      assertThat(peer.closeCode()).isEqualTo(4400);
    }
    try (RawPeer peer = new RawPeer(server.port())) {
      peer.say("{\"op\":\"ping\"}".getBytes(StandardCharsets.UTF_16LE));
      assertThat(peer.next().get("code").asText()).isEqualTo("BAD_REQUEST");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/api/v1/entry?key=%5B%22%ff%22%5D",
        "/api/v1/entry?key=%5B%22%ED%A0%80%22%5D",
        "/api/v1/entry?key=%5B%22%C0%80%22%5D",
        "/api/v1/entry?key=[%22\u00ff%22]",
        "/api/v1/entry?key=[%22\u00c3\u00a4%22]",
        "/api/v1/entries?cursor=%80",
        "/api/v1/collections/t/items/%ff",
        "/api/v1/collections/t/items/%E2%82",
        "/api/v1/collections/t/items/a?partitionKey=%22%ff%22",
        "/api/v1/collections/%ff",
        "/db/%ff/api/v1/entries",
        "/api/v1/tokens/%ff",
        "/%ff"
      })
  void rejectsUris(String path) throws Exception {
    for (String method : List.of("GET", "PUT", "DELETE")) {
      String answer = raw(method, path);
      assertThat(answer).startsWith("HTTP/1.1 400").contains("BAD_REQUEST").contains("uri: ");
    }
  }

  @Test
  void acceptsUrisInUtf8() throws Exception {
    rest.put("%5B%22%C3%A4%F0%9F%98%80%EF%BF%BD%22%5D", "1").is(200);
    assertThat(raw("GET", "/api/v1/entry?key=%5B%22%C3%A4%f0%9f%98%80%ef%bf%bd%22%5D"))
        .startsWith("HTTP/1.1 200");
    rest.ask("DELETE", "/entry?key=%5B%22%C3%A4%F0%9F%98%80%EF%BF%BD%22%5D", null).is(200);
  }

  /** The path's characters are sent as the bytes of ISO 8859-1. */
  private static String raw(String method, String path) throws IOException {
    try (SlowClient client = new SlowClient(uri)) {
      client.send(
          (method
                  + " "
                  + path
                  + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                  + "Content-Type: application/json\r\nContent-Length: 1\r\n\r\n1")
              .getBytes(StandardCharsets.ISO_8859_1));
      return client.rest();
    }
  }

  @Test
  void rejectsTokensAndMetadata(@TempDir Path folder, Vertx vertx) throws Exception {
    SecurityOptions security = SecurityOptions.DEFAULT.withTokens(folder.resolve("tokens.json"));
    ServerOptions options = ServerOptions.inMemory().withSecurity(security);
    try (TestServer own = TestServer.start(vertx, options)) {
      Rest tokens = new Rest(own);
      byte[] body =
          joined(ascii("{\"name\":\"t\",\"access\":[\"READ\"],\"databases\":[\""), new byte[] {-1});
      Answer answer =
          tokens.ask("POST", "/tokens", BodyPublishers.ofByteArray(joined(body, ascii("\"]}"))));
      assertThat(answer.problem(400, "BAD_REQUEST").text("detail"))
          .isEqualTo("body: byte 44 is 0xff (expected: UTF-8)");
      byte[] marked = joined(MARK, ascii("{\"name\":\"t\",\"access\":[\"READ\"]}"));
      tokens.ask("POST", "/tokens", BodyPublishers.ofByteArray(marked)).is(201);
    }
    var metadata =
        java.net.http.HttpRequest.newBuilder(uri.resolve("/"))
            .POST(
                BodyPublishers.ofByteArray(
                    joined(
                        ascii("{\"supportedVersions\":[1],\""), new byte[] {-1}, ascii("\":1}"))))
            .build();
    var refused = Rest.client().send(metadata, java.net.http.HttpResponse.BodyHandlers.ofString());
    assertThat(refused.statusCode()).as(refused.body()).isEqualTo(400);
    assertThat(refused.body()).contains("byte 26 is 0xff");
  }
}
