package io.kvreactive.web.internal.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.Kv;
import io.kvreactive.KvErrorCode;
import io.kvreactive.index.BoundingBox;
import io.kvreactive.index.CollectionDefinition;
import io.kvreactive.index.CompositePath;
import io.kvreactive.index.GeospatialType;
import io.kvreactive.index.IndexErrorCode;
import io.kvreactive.index.IndexingPolicy;
import io.kvreactive.index.SpatialIndex;
import io.kvreactive.index.UniqueKey;
import io.kvreactive.index.VectorEmbedding;
import io.kvreactive.index.VectorIndex;
import io.kvreactive.web.OperationsOptions;
import io.kvreactive.web.RoutesOptions;
import io.kvreactive.web.TestServer;
import io.kvreactive.web.WebErrorCode;
import io.kvreactive.web.internal.ServerContext;
import io.kvreactive.web.internal.auth.Authenticator;
import io.kvreactive.web.internal.collections.CollectionRoutes;
import io.kvreactive.web.internal.feed.FeedRoutes;
import io.kvreactive.web.internal.guard.FilterChain;
import io.kvreactive.web.internal.guard.TokenRoutes;
import io.kvreactive.web.internal.http.Lifecycle;
import io.kvreactive.web.internal.stores.SingleDatabase;
import io.kvreactive.web.internal.stream.StreamRoutes;
import io.kvreactive.web.internal.trace.Tracing;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.Route;
import io.vertx.ext.web.Router;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class OpenApiTest {
  /** Routes that are not described: a WebSocket, for which OpenAPI has no words. */
  private static final Set<String> NOT_DESCRIBED = Set.of("GET /api/v1/stream");

  /** Codes that no route of these answers with: of clients, embedding, and other interfaces. */
  private static final Set<String> NOT_OF_REST =
      Set.of("UNREADABLE_VALUE", "CONFLICT", "LOCKED", "NO_SUCH_STORE");

  @Test
  void describesExactlyTheExistingRoutes() {
    Kv kv = Kv.inMemory(TestServer.vertx()).block(TestServer.TIMEOUT);
    Router router = Router.router(TestServer.vertx());
    ServerContext serverContext =
        new ServerContext(
            TestServer.vertx(),
            new SingleDatabase(kv),
            FilterChain.embedded(Authenticator.OPEN),
            RoutesOptions.DEFAULT,
            new Lifecycle(),
            OperationsOptions.DEFAULT,
            Tracing.HEADERS);
    OpenApiRoutes.mount(router);
    TokenRoutes.mount(router, serverContext.filters(), serverContext.bodyLimits());
    StreamRoutes.mount(router, serverContext);
    FeedRoutes.mount(router, serverContext);
    RestRoutes.mount(router, serverContext);
    CollectionRoutes.mount(
        new OperationRoutes(
            router, serverContext.bodyLimits(), serverContext.options().maxBodyBytes()));
    Set<String> mounted = new TreeSet<>();
    for (Route route : router.getRoutes()) {
      if (route.methods() == null) {
        continue; // handlers in front of the routes
      }
      String path = route.getName() == null ? route.getPath() : route.getName();
      for (HttpMethod method : route.methods()) {
        mounted.add(method + " " + path.replaceAll(":(\\w+)", "{$1}"));
      }
    }
    mounted.removeAll(NOT_DESCRIBED);
    Set<String> described = new TreeSet<>();
    Described.DOCUMENT
        .get("paths")
        .properties()
        .forEach(
            path ->
                path.getValue()
                    .fieldNames()
                    .forEachRemaining(
                        method -> {
                          if (!Set.of("parameters", "servers").contains(method)) {
                            described.add(method.toUpperCase() + " " + path.getKey());
                          }
                        }));
    assertThat(described).isEqualTo(mounted);
    kv.close().block(TestServer.TIMEOUT);
  }

  @Test
  void resolvesAllReferences() {
    for (JsonNode reference : Described.DOCUMENT.findValues("$ref")) {
      assertThat(Described.DOCUMENT.at(reference.asText().substring(1)).isMissingNode())
          .as(reference.asText())
          .isFalse();
    }
  }

  @Test
  void describesAllErrorCodes() {
    String responses = Described.DOCUMENT.at("/components/responses").toString();
    for (KvErrorCode code : KvErrorCode.values()) {
      if (!NOT_OF_REST.contains(code.name())) {
        assertThat(responses).contains(code.name());
      }
    }
    for (IndexErrorCode code : IndexErrorCode.values()) {
      assertThat(responses).contains(code.name());
    }
    for (WebErrorCode code : WebErrorCode.values()) {
      if (code != WebErrorCode.METHOD_NOT_ALLOWED) {
        assertThat(responses).contains(code.name());
      }
    }
  }

  @Test
  void describesDefinitionsWithAllMembers() {
    CollectionDefinition definition =
        new CollectionDefinition(
            List.of("/country"),
            IndexingPolicy.includeRoot("/v/*")
                .withComposite(CompositePath.ascending("/a"), CompositePath.descending("/b"))
                .withSpatial(
                    new SpatialIndex("/at/?", List.of("Point"), new BoundingBox(0, 0, 9, 9)))
                .withVector(new VectorIndex("/v", "flat")),
            60,
            List.of(new UniqueKey(List.of("/email"))),
            GeospatialType.GEOMETRY,
            List.of(new VectorEmbedding("/v", "float32", 3, "cosine")));
    assertThat(Described.faults("Definition", definition.toJson())).isEmpty();
    IndexingPolicy vectors =
        IndexingPolicy.DEFAULT.withVector(
            new VectorIndex("/v", "diskANN", "product", 96, 100, List.of("/country")));
    assertThat(Described.faults("IndexingPolicy", vectors.toJson())).isEmpty();
    assertThat(Described.faults("IndexingPolicy", "{\"vectorIndexes\":[{\"path\":\"/v\"}]}"))
        .hasSize(1);
    assertThat(Described.faults("VectorIndex", "{\"path\":\"/v\",\"type\":\"flat\",\"x\":1}"))
        .hasSize(1);
  }

  @Test
  void isServedWithoutToken() throws Exception {
    try (TestServer server = TestServer.start()) {
      var answer = server.send("GET", "/openapi.json", "", r -> r.setHeader("Authorization", "x"));
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.headers().firstValue("Content-Type")).contains("application/json");
      JsonNode document = Rest.json(answer.body());
      assertThat(document).isEqualTo(Described.DOCUMENT);
      assertThat(document.get("openapi").asText()).isEqualTo("3.1.0");
    }
  }
}
