package io.kvreactive.web.internal.ops;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.web.Conditions;
import io.kvreactive.web.TestServer;
import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@Timeout(300)
@ExtendWith(VertxExtension.class)
class TracingTest {
  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
  private static final String PARENT = "b7ad6b7169203331";
  private final InMemorySpanExporter spans = InMemorySpanExporter.create();

  @BeforeEach
  void setUp() {
    GlobalOpenTelemetry.resetForTest();
    GlobalOpenTelemetry.set(
        OpenTelemetrySdk.builder()
            .setTracerProvider(
                SdkTracerProvider.builder()
                    .addSpanProcessor(SimpleSpanProcessor.create(spans))
                    .build())
            .setPropagators(ContextPropagators.create(W3CTraceContextPropagator.getInstance()))
            .build());
  }

  @AfterEach
  void tearDown() {
    GlobalOpenTelemetry.resetForTest();
  }

  @Test
  void joinsTheTraceOfTheCallerWithStoreSpansBelowTheRequest(Vertx vertx) throws Exception {
    try (TestServer server = TestServer.start(vertx)) {
      HttpResponse<String> response =
          server.send(
              "PUT",
              "/api/v1/entry?key=[%22a%22]",
              "1",
              request ->
                  request
                      .header("Content-Type", "application/json")
                      .header("traceparent", "00-" + TRACE + "-" + PARENT + "-01"));
      assertThat(response.statusCode()).isEqualTo(200);
      assertThat(response.headers().firstValue("traceresponse").orElseThrow())
          .startsWith("00-" + TRACE + "-");
      Conditions.await( // spans end after their signal has been passed on
          () ->
              spans.getFinishedSpanItems().stream()
                      .anyMatch(span -> span.getKind() == SpanKind.SERVER)
                  && isThere("kv.commit"));
      List<SpanData> finished = spans.getFinishedSpanItems();
      SpanData request =
          finished.stream()
              .filter(span -> span.getKind() == SpanKind.SERVER)
              .findFirst()
              .orElseThrow();
      assertThat(request.getTraceId()).isEqualTo(TRACE);
      assertThat(request.getParentSpanId()).isEqualTo(PARENT);
      assertThat(request.getName()).isEqualTo("PUT /api/v1/entry");
      assertThat(request.getAttributes().get(AttributeKey.longKey("http.response.status_code")))
          .isEqualTo(200);
      assertThat(request.getAttributes().get(AttributeKey.stringKey("db.namespace")))
          .isEqualTo("default");
      SpanData commit =
          finished.stream()
              .filter(span -> span.getName().equals("kv.commit"))
              .findFirst()
              .orElseThrow();
      assertThat(commit.getParentSpanId()).isEqualTo(request.getSpanId());
    }
  }

  private boolean isThere(String name) {
    return spans.getFinishedSpanItems().stream().anyMatch(span -> span.getName().equals(name));
  }

  /** Also a request that is answered on its event loop. */
  @Test
  void recordsASpanForAKvConnectRead(Vertx vertx) throws Exception {
    String key = "\u0002a\u0000";
    String range = "\n\u0003" + key + "\u0012\u0004" + key + "\u0000" + "\u0018\u0001";
    try (TestServer server = TestServer.start(vertx)) {
      String info = server.get("/api/v1/info").body();
      String database = new JsonObject(info).getString("databaseId");
      server.send(
          "PUT",
          "/api/v1/entry?key=[%22a%22]",
          "1",
          request -> request.header("Content-Type", "application/json"));
      HttpResponse<String> response =
          server.send(
              "POST",
              "/v2/snapshot_read",
              "\n" + (char) range.length() + range,
              request ->
                  request
                      .header("x-denokv-version", "3")
                      .header("x-denokv-database-id", database)
                      .header("traceparent", "00-" + TRACE + "-" + PARENT + "-01"));
      assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
      assertThat(response.body()).contains(key);
      Conditions.await(() -> isThere("kv.read"));
      assertThat(spans.getFinishedSpanItems())
          .filteredOn(span -> span.getName().equals("kv.read"))
          .singleElement()
          .satisfies(span -> assertThat(span.getTraceId()).isEqualTo(TRACE));
    }
  }

  /**
   * Collections are shared by all requests; their work belongs to the request that asked for it.
   */
  @Test
  void recordsItemOperationsAndQueriesBelowTheirRequest(Vertx vertx) throws Exception {
    try (TestServer server = TestServer.start(vertx)) {
      json(server, "PUT", "/api/v1/collections/c", "{}", null);
      json(server, "POST", "/api/v1/collections/c/items", "{\"id\":\"before\"}", null);

      String create = "/api/v1/collections/c/items";
      json(server, "POST", create, "{\"id\":\"a\"}", "1af7651916cd43dd8448eb211c80319c");
      json(server, "GET", create + "/a", "", "2af7651916cd43dd8448eb211c80319c");
      String query = "{\"query\":\"SELECT * FROM c WHERE c.id = 'a'\"}";
      json(
          server, "POST", "/api/v1/collections/c/query", query, "3af7651916cd43dd8448eb211c80319c");
      Conditions.await(
          () ->
              isThere("kv.commit", "1af7651916cd43dd8448eb211c80319c")
                  && isThere("kv.read", "2af7651916cd43dd8448eb211c80319c")
                  && isThere("kv.read", "3af7651916cd43dd8448eb211c80319c"));
      for (SpanData span : spans.getFinishedSpanItems()) {
        if (span.getName().startsWith("kv.") && span.getTraceId().startsWith("1af")) {
          assertThat(span.getParentSpanId()).isEqualTo(requestOf(span).getSpanId());
          assertThat(span.getAttributes().get(AttributeKey.stringKey("db.namespace")))
              .isEqualTo("default");
        }
      }
    }
  }

  private SpanData requestOf(SpanData span) {
    return spans.getFinishedSpanItems().stream()
        .filter(
            other ->
                other.getKind() == SpanKind.SERVER && other.getTraceId().equals(span.getTraceId()))
        .findFirst()
        .orElseThrow();
  }

  private boolean isThere(String name, String trace) {
    return spans.getFinishedSpanItems().stream()
            .anyMatch(span -> span.getName().equals(name) && span.getTraceId().equals(trace))
        && spans.getFinishedSpanItems().stream()
            .anyMatch(span -> span.getKind() == SpanKind.SERVER && span.getTraceId().equals(trace));
  }

  private static void json(TestServer server, String method, String path, String body, String trace)
      throws Exception {
    HttpResponse<String> response =
        server.send(
            method,
            path,
            body,
            request -> {
              request.header("Content-Type", "application/json");
              return trace == null
                  ? request
                  : request.header("traceparent", "00-" + trace + "-" + PARENT + "-01");
            });
    assertThat(response.statusCode()).as(response.body()).isBetween(200, 201);
  }
}
