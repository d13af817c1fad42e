package io.kvreactive.web.internal.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpResponse;
import java.util.List;

/** What a server answered. */
public record Answer(String asked, HttpResponse<String> response) {
  public Answer is(int status) {
    assertThat(response.statusCode()).as("%s: %s", asked, body()).isEqualTo(status);
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
}
