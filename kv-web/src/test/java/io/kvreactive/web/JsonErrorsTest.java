package io.kvreactive.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Error messages for malformed JSON: position and reason, without details of the parser. */
@ExtendWith(VertxExtension.class)
class JsonErrorsTest {
  private static TestServer server;

  @BeforeAll
  static void start(Vertx vertx) {
    server = TestServer.start(vertx);
  }

  @AfterAll
  static void close() {
    server.close();
  }

  private static String errorOf(String path, String body) throws Exception {
    var answer = server.post(path, body);
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body())
        .doesNotContain("Source", "code 1", "was expecting", "Feature", "com.fasterxml");
    return answer.body();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"keys\":[[\"a\"       | body at line 1, column 14: unexpected end (expected: JSON)",
        "{\"keys\":[[\"a\"]]}}   | column 17: unexpected }",
        "{\"keys\":\\n[[a]]}      | body at line 2, column 3: unknown word a",
        "{'keys':[]}             | unexpected '",
        "{\"keys\":[[1],\\n]}     | line 2, column 1: unexpected ] after a comma",
        "{\"keys\":[],\\n }       | line 2, column 2: unexpected } after a comma",
        "{\"keys\":}             | column 9: unexpected } (expected: JSON)",
        "{\"keys\":[,]}          | column 10: unexpected , (expected: JSON)",
        "{\"keys\":[],\"keys\":1} | duplicate property",
        "{\"keys\":[]} 1         | unexpected text after the end",
        "{\"a\\nb\":1}            | unescaped control character in a string",
        "{\"a\":01}              | invalid number",
        "{\"a\":\"\\x\"}         | unknown escape in a string",
      })
  void reportsPositionAndReason(String body, String words) throws Exception {
    assertThat(errorOf("/api/v1/entries/get", body.replace("\\n", "\n"))).contains(words);
  }

  @Test
  void reportsTooDeepNesting() throws Exception {
    assertThat(errorOf("/api/v1/entries/get", "[".repeat(2000))).contains("nested too deep");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/api/v1/entries/get", "/api/v1/atomic", "/api/v1/import"})
  void everywhere(String path) throws Exception {
    var answer =
        server.send(
            "POST",
            path,
            "{\"supportedVersions\" 1",
            r ->
                r.header(
                    "Content-Type",
                    path.endsWith("import") ? "application/x-ndjson" : "application/json"));
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body())
        .contains("column 22")
        .doesNotContain("Source", "code 49", "was expecting");
  }
}
