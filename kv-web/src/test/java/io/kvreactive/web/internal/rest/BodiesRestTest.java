package io.kvreactive.web.internal.rest;

import static io.kvreactive.web.internal.rest.Rest.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.KvOptions;
import io.kvreactive.web.Conditions;
import io.kvreactive.web.LogOf;
import io.kvreactive.web.RoutesOptions;
import io.kvreactive.web.internal.auth.Authenticator;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Limits on the memory of all request bodies together. */
@ExtendWith(VertxExtension.class)
class BodiesRestTest {
  private static final int MOST = 1 << 20;
  private static final int LARGE = 700_000;
  private TestServerContext site;
  private Rest rest;

  @BeforeEach
  void open(Vertx vertx) throws Exception {
    LogOf.begin();
    site =
        new TestServerContext(
            vertx,
            KvOptions.inMemory(),
            RoutesOptions.DEFAULT.withMaxBodyBytes(MOST).withMaxBodiesBytes(MOST),
            Authenticator.OPEN);
    rest = site.rest();
  }

  @AfterEach
  void close() {
    site.close();
  }

  private Answer put() {
    return rest.ask(
        "PUT",
        "/entry?key=" + key("b"),
        BodyPublishers.ofByteArray(new byte[LARGE]),
        "Content-Type",
        "application/octet-stream");
  }

  /** Retries, because the memory of an answered body may be released a moment later. */
  private boolean refuses() {
    return IntStream.range(0, 4).allMatch(i -> put().response().statusCode() == 503);
  }

  private SlowClient unfinished(String request, String type, int length, int sent)
      throws IOException {
    return new SlowClient(site.uri())
        .send(
            "%s HTTP/1.1\r\nHost: x\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n"
                .formatted(request, type, length))
        .send("x".repeat(sent));
  }

  /** Opens requests whose bodies stop, until their memory leaves none for another body. */
  private final class SlowCallers implements AutoCloseable {
    private final Callable<SlowClient> opened;
    private final List<SlowClient> open = new ArrayList<>();

    SlowCallers(int count, Callable<SlowClient> opened) throws Exception {
      this.opened = opened;
      for (int i = 0; i < count; i++) {
        open.add(opened.call());
      }
    }

    /** Opens rejected bodies again. */
    boolean holdAll() throws Exception {
      if (refuses()) {
        return true;
      }
      for (int i = 0; i < open.size(); i++) {
        if (open.get(i).in().available() > 0) {
          open.get(i).close();
          open.set(i, opened.call());
        }
      }
      return false;
    }

    @Override
    public void close() throws IOException {
      for (SlowClient one : open) {
        one.close();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"PUT /api/v1/entry?key=[\"a\"]", "POST /api/v1/import", "POST /v2/watch"})
  void asksForARetryWhenTooMuchIsHeld(String request) throws Exception {
    String line = request.replace("[\"a\"]", key("a"));
    String type =
        line.endsWith("import")
            ? "application/x-ndjson"
            : "application/octet-stream\r\nx-denokv-version: 3";
    try (SlowCallers slow = new SlowCallers(1, () -> unfinished(line, type, MOST, LARGE))) {
      Conditions.await(slow::holdAll);
      Answer refused = put().problem(503, "OVERLOADED");
      assertThat(refused.header("Retry-After")).isEqualTo("1");
      assertThat(refused.json().get("retryable").asBoolean()).isTrue();
      assertThat(LogOf.audit()).anyMatch(entry -> entry.contains("event=body.refused"));
      assertThat(rest.put(key("c"), "1").is(200).text("versionstamp")).isNotEmpty();
    }
    Conditions.await(() -> put().response().statusCode() == 200);
  }

  @Test
  void countsBodiesOfTokenRequests() throws Exception {
    try (SlowCallers slow =
        new SlowCallers(
            3, () -> unfinished("POST /api/v1/tokens", "application/json", 250_000, 200_000))) {
      Conditions.await(slow::holdAll);
    }
    Conditions.await(() -> put().response().statusCode() == 200);
    rest.ask(
            "POST",
            "/tokens",
            BodyPublishers.ofByteArray(new byte[300_000]),
            "Content-Type",
            "application/json")
        .problem(413, "PAYLOAD_TOO_LARGE");
  }

  @Test
  void releasesRefusedAndAnsweredBodies() {
    for (int i = 0; i < 5; i++) {
      put().is(200);
      rest.ask(
              "PUT",
              "/entry?key=" + key("b"),
              BodyPublishers.ofByteArray(new byte[MOST + 1]),
              "Content-Type",
              "application/octet-stream")
          .problem(413, "PAYLOAD_TOO_LARGE");
    }
  }

  @Test
  void storesALargeJsonBodyLikeASmallOne() {
    String text = "\"" + "t".repeat(LARGE) + "\"";
    rest.put(key("t"), text).is(200);
    assertThat(rest.get("/entry?key=" + key("t")).is(200).json().get("value").asText())
        .hasSize(LARGE);
    rest.put(key("t"), "[" + "1,".repeat(200_000)).problem(400, "BAD_REQUEST");
    rest.post("/atomic", "{\"mutations\":[{\"type\":\"set\",\"key\":[],\"value\":" + text + "}]}")
        .is(400);
  }
}
