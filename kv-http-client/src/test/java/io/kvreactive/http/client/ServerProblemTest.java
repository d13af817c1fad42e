package io.kvreactive.http.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.KvErrorCode;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Problem details of servers, and answers of other servers. */
class ServerProblemTest {
  private static ServerProblem problem(int status, String retryAfter, String body) {
    return ServerProblem.of(
        new HttpAnswer(
            status,
            MultiMap.caseInsensitiveMultiMap().add("retry-after", retryAfter),
            Buffer.buffer(body)));
  }

  @Test
  void readsProblemDetails() {
    ServerProblem problem =
        problem(429, "3", "{\"code\":\"RATE_LIMITED\",\"detail\":\"slowly\",\"more\":7}");
    assertThat(problem.code()).isEqualTo("RATE_LIMITED");
    assertThat(problem.detail()).isEqualTo("slowly");
    assertThat(problem.json().path("more").asInt()).isEqualTo(7);
    assertThat(problem.isTransient()).isTrue();
    assertThat(problem.storeCode()).isEqualTo(KvErrorCode.OVERLOADED);
    assertThat(problem.pauseMillis()).isEqualTo(3000);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "bad gateway",
        "<html>",
        "[1]",
        "{\"code\":7}",
        "{\"detail\":\"x\"}",
        "{",
        "\0"
      })
  void readsAnyOtherAnswerAsText(String body) {
    ServerProblem problem = problem(503, "", body);
    assertThat(problem.code()).isNull();
    assertThat(problem.detail()).isEqualTo(body.strip());
    assertThat(problem.storeCode()).isNull();
    assertThat(problem.isTransient()).isFalse();
  }

  @Test
  void cutsLongTexts() {
    assertThat(problem(502, "", "x".repeat(10_000)).detail()).hasSize(501);
  }

  @ParameterizedTest
  @CsvSource({"7, 7000", "600, 60000", "-1, 0", "soon, 0", "9999999999999, 0", "'', 0"})
  void readsThePauseInSeconds(String retryAfter, long millis) {
    assertThat(problem(429, retryAfter, "").pauseMillis()).isEqualTo(millis);
  }

  @Test
  void doesNotPauseForAFullMailbox() {
    assertThat(problem(503, "7", "{\"code\":\"OVERLOADED\"}").pauseMillis()).isZero();
  }
}
