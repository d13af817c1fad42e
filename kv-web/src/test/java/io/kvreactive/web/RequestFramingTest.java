package io.kvreactive.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Malformed and ambiguous requests on a bare connection. */
@ExtendWith(VertxExtension.class)
class RequestFramingTest {
  private TestServer server;

  @BeforeEach
  void start(Vertx vertx) {
    server = TestServer.start(vertx);
  }

  @AfterEach
  void close() {
    server.close();
  }

  private String ask(String... lines) throws Exception {
    try (RawConnection raw = new RawConnection(server.port())) {
      return raw.send(lines).readToEnd();
    }
  }

  private static long answers(String all) {
    return all.lines().filter(line -> line.startsWith("HTTP/1.1 ")).count();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Content-Length: 4 | Transfer-Encoding: chunked",
        "Transfer-Encoding: chunked | Content-Length: 4",
        "Transfer-Encoding: identity | Transfer-Encoding: chunked",
        "Transfer-Encoding: chunked, identity | X-A: b",
        "Transfer-Encoding: xchunked | X-A: b",
        "Content-Length: 4 | Content-Length: 5",
        "Content-Length: 4, 5 | X-A: b",
        "Content-Length: -4 | X-A: b",
        "Content-Length: +4 | X-A: b",
        "Content-Length: 0x4 | X-A: b",
        "Content-Length : 4 | X-A: b",
        "Host: localhost | X-A: b",
      })
  void preventsRequestSmuggling(String one, String other) throws Exception {
    String all =
        ask(
            "POST /nowhere HTTP/1.1",
            "Host: localhost",
            one.strip(),
            other.strip(),
            "Authorization: Bearer " + TestServer.TOKEN,
            "",
            "0",
            "",
            "GET /livez HTTP/1.1",
            "Host: localhost",
            "Connection: close",
            "");
    assertThat(all).matches("(?s)HTTP/1.1 40[04] .*");
    assertThat(answers(all)).as("what follows is not read as a request").isEqualTo(1);
  }

  @Test
  void readsAValidChunkedBodyAndClosesTheConnection() throws Exception {
    String all =
        ask(
            "POST /api/v1/tokens HTTP/1.1",
            "Host: localhost",
            "Content-Type: application/json",
            "Transfer-Encoding: chunked",
            "Authorization: Bearer " + TestServer.TOKEN,
            "",
            "2",
            "{}",
            "0",
            "",
            "GET /livez HTTP/1.1",
            "Host: localhost",
            "");
    assertThat(all).startsWith("HTTP/1.1 400").contains("name: missing");
    assertThat(all.toLowerCase()).contains("connection: close");
    assertThat(answers(all)).isEqualTo(1);
  }

  /**
   * More than the buffers of both ends hold, so sending completes only after the server has read
   * it.
   */
  private static void sendChunks(RawConnection raw, String first) throws IOException {
    String piece = "x".repeat(1 << 16);
    raw.send(Integer.toHexString(first.length()), first);
    for (int i = 0; i < 512; i++) {
      raw.send(Integer.toHexString(piece.length()), piece);
    }
    raw.send("0", "", "GET /livez HTTP/1.1", "Host: localhost", "");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/api/v1/import | application/x-ndjson | HTTP/1.1 400 ",
        "/api/v1/tokens | application/json | HTTP/1.1 413 ",
        "/nowhere | application/json | HTTP/1.1 404 ",
      })
  void answersTheRefusalAfterAllChunksWereSent(String path, String type, String answer)
      throws Exception {
    try (RawConnection raw = new RawConnection(server.port())) {
      raw.send(
          "POST " + path + " HTTP/1.1",
          "Host: localhost",
          "Transfer-Encoding: chunked",
          "Content-Type: " + type,
          "Authorization: Bearer " + TestServer.TOKEN,
          "");
      sendChunks(raw, "nonsense\n");
      String all = raw.readToEnd();
      assertThat(all).startsWith(answer).contains("application/problem+json");
      assertThat(answers(all)).as("what follows is not read as a request").isEqualTo(1);
    }
  }

  @Test
  void awaitsNoBodyAfterAFinalAnswerToExpectContinue() throws Exception {
    String all =
        ask(
            "POST /nowhere HTTP/1.1",
            "Host: localhost",
            "Transfer-Encoding: chunked",
            "Expect: 100-continue",
            "");
    assertThat(all).startsWith("HTTP/1.1 4");
  }

  @ParameterizedTest
  @ValueSource(strings = {"zz", "-1", "", "1x"})
  void answersABodyWithMalformedChunks(String size) throws Exception {
    String all =
        ask(
            "POST /api/v1/tokens HTTP/1.1",
            "Host: localhost",
            "Content-Type: application/json",
            "Transfer-Encoding: chunked",
            "Authorization: Bearer " + TestServer.TOKEN,
            "",
            size,
            "");
    assertThat(all).startsWith("HTTP/1.1 400").contains("expected: chunks with their sizes");
    assertThat(answers(all)).isEqualTo(1);
  }

  @Test
  void acceptsAChunkExtensionOfAtMost16Kibibytes() throws Exception {
    for (int kibibytes : new int[] {15, 17}) {
      String all =
          ask(
              "POST /api/v1/tokens HTTP/1.1",
              "Host: localhost",
              "Content-Type: application/json",
              "Transfer-Encoding: chunked",
              "Authorization: Bearer " + TestServer.TOKEN,
              "",
              "2;" + "x".repeat(kibibytes << 10),
              "{}",
              "0",
              "");
      assertThat(all)
          .startsWith("HTTP/1.1 400")
          .contains(kibibytes < 16 ? "name: missing" : "expected: chunks with their sizes");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {" folded", "\tfolded"})
  void refusesFoldedHeaderLines(String line) throws Exception {
    String[] request = {"GET /livez HTTP/1.1", "Host: localhost", "X-A: b", line, ""};
    assertThat(ask(request)).startsWith("HTTP/1.").contains(" 400 ");
    try (RawConnection raw = new RawConnection(server.port())) { // line by line
      for (String each : request) {
        raw.send(each);
      }
      assertThat(raw.readToEnd()).contains(" 400 ");
    }
    String first = ask("GET /livez HTTP/1.1", line, "Host: localhost", "");
    assertThat(first).contains(" 400 ");
  }

  @Test
  void acceptsBlanksWherePermitted() throws Exception {
    String all =
        ask(
            "POST /api/v1/tokens HTTP/1.1",
            "Host: localhost",
            "Content-Type: application/json",
            "Content-Length: 7",
            "Authorization: Bearer " + TestServer.TOKEN,
            "X-Empty:",
            "",
            "{",
            " }\r", // a body is not a head
            "GET /livez HTTP/1.1",
            "Host:   localhost  ",
            "Connection: close",
            "");
    assertThat(all).startsWith("HTTP/1.1 400").contains("name: missing", "HTTP/1.1 200");
  }

  @Test
  void rejectsTooLongLinesAndTooManyHeaders() throws Exception {
    String line = ask("GET /" + "a".repeat(20_000) + " HTTP/1.1", "Host: localhost", "");
    assertThat(line).matches("(?s)HTTP/1.. 414 .*").contains("application/problem+json");
    String headers = ask("GET / HTTP/1.1", "Host: localhost", "X-A: " + "a".repeat(20_000), "");
    assertThat(headers).matches("(?s)HTTP/1.. 431 .*").contains("application/problem+json");
  }

  @Test
  void answersMalformedRequestsWithoutAStackTrace() throws Exception {
    String all = ask("\0\u0001 garbage", "", "");
    assertThat(all).doesNotContain("Exception", "\tat ");
  }

  @Test
  void preventsInjectionIntoHeadersAndLog() throws Exception {
    LogOf.begin();
    String all =
        ask(
            "GET /db/a%0d%0aSet-Cookie:x/%0aevent=forged HTTP/1.1",
            "Host: localhost",
            "X-Request-Id: a%0d%0aX-Evil: 1",
            "Origin: https://evil\u0085event=forged",
            "Connection: close",
            "");
    assertThat(all.toLowerCase()).doesNotContain("\r\nset-cookie", "\r\nx-evil");
    assertThat(LogOf.audit())
        .isNotEmpty()
        .allMatch(entry -> entry.chars().noneMatch(c -> c < ' ' || c == 0x85));
  }

  @Test
  void logsNoTokens() throws Exception {
    LogOf.begin();
    server.send("GET", "/nowhere", "", r -> r.setHeader("Authorization", "Bearer guessed-secret"));
    assertThat(LogOf.audit())
        .anyMatch(
            entry ->
                entry.contains("event=authentication.failed")
                    && entry.contains("address=127.0.0.1")
                    && entry.contains("request="))
        .noneMatch(entry -> entry.contains("guessed-secret"));
  }
}
