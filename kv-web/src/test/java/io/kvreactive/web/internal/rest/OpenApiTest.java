package io.kvreactive.web.internal.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.KvErrorCode;
import io.kvreactive.documents.BoundingBox;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.CompositePath;
import io.kvreactive.documents.ComputedProperty;
import io.kvreactive.documents.Definitions;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.GeospatialType;
import io.kvreactive.documents.IndexingPolicy;
import io.kvreactive.documents.SpatialIndex;
import io.kvreactive.documents.UniqueKey;
import io.kvreactive.documents.VectorEmbedding;
import io.kvreactive.documents.VectorIndex;
import io.kvreactive.web.TestServer;
import io.kvreactive.web.WebErrorCode;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VertxExtension.class)
class OpenApiTest {
  /**
   * Codes that these routes do not use: codes of clients, of embedded stores and of other
   * interfaces.
   */
  private static final Set<String> NOT_OF_REST =
      Set.of("UNREADABLE_VALUE", "CONFLICT", "LOCKED", "NO_SUCH_STORE");

  @Test
  void isGeneratedFromTheTableAndItsSource() throws Exception {
    Path generated = Path.of("target/openapi.yaml");
    Files.writeString(generated, OpenApiDocument.of(Path.of("src/main/openapi/api.yaml")));
    Path reviewed = Path.of("src/main/resources/io/kvreactive/web/internal/rest/openapi.yaml");
    assertThat(reviewed)
        .as("api.yaml or the table has changed: copy %s there and review it", generated)
        .hasSameTextualContentAs(generated);
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
    for (DocumentErrorCode code : DocumentErrorCode.values()) {
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
            List.of(new VectorEmbedding("/v", "float32", 3, "cosine")),
            List.of(new ComputedProperty("cp_lower", "SELECT VALUE LOWER(c.name) FROM c")));
    assertThat(Described.faults("Definition", Definitions.toJson(definition))).isEmpty();
    IndexingPolicy vectors =
        IndexingPolicy.DEFAULT.withVector(
            new VectorIndex("/v", "diskANN", "product", 96, 100, List.of("/country")));
    assertThat(Described.faults("IndexingPolicy", Definitions.toJson(vectors))).isEmpty();
    assertThat(Described.faults("IndexingPolicy", "{\"vectorIndexes\":[{\"path\":\"/v\"}]}"))
        .hasSize(1);
    assertThat(Described.faults("VectorIndex", "{\"path\":\"/v\",\"type\":\"flat\",\"x\":1}"))
        .hasSize(1);
  }

  @Test
  void describesEachOperationOfABatch() {
    String etag = "\"ifMatch\":\"00000000000000000000\"";
    for (String described :
        List.of(
            "\"op\":\"create\",\"item\":{}",
            "\"op\":\"upsert\",\"item\":{}," + etag,
            "\"op\":\"replace\",\"id\":\"a\",\"item\":{}," + etag,
            "\"op\":\"read\",\"id\":\"a\"," + etag,
            "\"op\":\"patch\",\"id\":\"a\",\"operations\":[{\"op\":\"remove\",\"path\":\"/x\"}],"
                + etag,
            "\"op\":\"delete\",\"id\":\"a\"," + etag)) {
      assertThat(Described.faults("Batch", "{\"operations\":[{" + described + "}]}")).isEmpty();
    }
    for (String other :
        List.of(
            "\"op\":\"create\",\"item\":{}," + etag,
            "\"op\":\"read\"",
            "\"op\":\"read\",\"id\":\"a\",\"item\":{}",
            "\"op\":\"merge\",\"id\":\"a\"")) {
      assertThat(Described.faults("Batch", "{\"operations\":[{" + other + "}]}")).isNotEmpty();
    }
  }

  @Test
  void isServedWithoutToken(Vertx vertx) throws Exception {
    try (TestServer server = TestServer.start(vertx)) {
      var answer = server.send("GET", "/openapi.json", "", r -> r.setHeader("Authorization", "x"));
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.headers().firstValue("Content-Type")).contains("application/json");
      JsonNode document = Rest.json(answer.body());
      assertThat(document).isEqualTo(Described.DOCUMENT);
      assertThat(document.get("openapi").asText()).isEqualTo("3.1.0");
    }
  }
}
