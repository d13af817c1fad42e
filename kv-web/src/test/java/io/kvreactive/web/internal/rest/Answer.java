package io.kvreactive.web.internal.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpResponse;
import java.util.List;

/** An answer of a server. */
public record Answer(String request, HttpResponse<String> response) {
  public Answer is(int status) {
    assertThat(response.statusCode()).as("%s: %s", request, body()).isEqualTo(status);
    return this;
  }

  /** Requires that something was created or replaced. */
  public Answer isWritten() {
    assertThat(response.statusCode()).as("%s: %s", request, body()).isIn(200, 201);
    return this;
  }

  public Answer problem(int status, String code) {
    is(status);
    assertThat(header("Content-Type")).isEqualTo("application/problem+json");
    assertThat(text("code")).as(body()).isEqualTo(code);
    assertThat(json().get("status").intValue()).isEqualTo(status);
    assertThat(text("requestId")).isEqualTo(header("X-Request-Id"));
    return this;
  }

  /**
   * Returns the problem of an operation that streams its answer: the whole answer, or its last line
   * if earlier lines were already sent.
   */
  public JsonNode problemOfWork(int status, String code) {
    if (response.statusCode() != 200) {
      return problem(status, code).json();
    }
    JsonNode error = lastLine().path("error");
    assertThat(error.path("code").asText()).as(body()).isEqualTo(code);
    assertThat(error.get("status").intValue()).isEqualTo(status);
    return error;
  }

  public String body() {
    return response.body();
  }

  public JsonNode json() {
    return Rest.json(body());
  }

  public String text(String property) {
    return json().path(property).asText();
  }

  public String header(String name) {
    return response.headers().firstValue(name).orElse("");
  }

  public List<JsonNode> lines() {
    return body().lines().map(Rest::json).toList();
  }

  /** Returns the result of an operation that streams its progress, which is the last line. */
  public JsonNode lastLine() {
    List<JsonNode> lines = lines();
    return lines.get(lines.size() - 1);
  }
}
