package io.kvreactive.web.internal.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import com.networknt.schema.ValidationMessage;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Checks responses against the description of the REST interface. */
final class Described {
  static final JsonNode DOCUMENT = load();

  private static final int LINES = 100;
  private static final JsonSchemaFactory FACTORY =
      JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012);
  private static final Map<JsonNode, JsonSchema> SCHEMAS = new ConcurrentHashMap<>();

  private Described() {}

  private static JsonNode load() {
    try (InputStream in = OpenApiRoutes.class.getResourceAsStream("openapi.yaml")) {
      return new YAMLMapper().readTree(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the target of a reference, or the node if it is not a reference. */
  static JsonNode resolve(JsonNode node) {
    JsonNode reference = node.get("$ref");
    if (reference == null) {
      return node;
    }
    JsonNode found = DOCUMENT.at(reference.asText().substring(1));
    assertThat(found.isMissingNode()).as(reference.asText()).isFalse();
    return resolve(found);
  }

  /** Fails if the description of the request does not contain the response. */
  static void check(String method, String path, Answer answer) {
    JsonNode operation =
        DOCUMENT
            .path("paths")
            .path(template(path.replaceAll("\\?.*", "")))
            .path(method.toLowerCase());
    if (operation.isMissingNode()) {
      return; // a test of an unknown path or method
    }
    int status = answer.response().statusCode();
    JsonNode responses = operation.get("responses");
    JsonNode response = responses.path(String.valueOf(status));
    assertThat(!response.isMissingNode() || status >= 500 || status == 429)
        .as("%s: status %d is described (%s)", answer.request(), status, answer.body())
        .isTrue();
    response = resolve(response.isMissingNode() ? responses.get("default") : response);
    if (response.at("/headers/X-Kv-Versionstamp").has("$ref")) {
      assertThat(answer.header("X-Kv-Versionstamp")).as(answer.request()).matches("[0-9a-f]{20}");
    }
    if (!answer.body().isEmpty() && status != 304) {
      body(response, answer);
    }
  }

  private static String template(String path) {
    return path.replaceFirst("^(/api/v1/collections)/[^/]*", "$1/{collection}")
        .replaceFirst("(/items)/[^/]*$", "$1/{id}");
  }

  private static void body(JsonNode response, Answer answer) {
    String type = answer.header("Content-Type");
    JsonNode content = response.path("content").path(type);
    assertThat(content.isMissingNode()).as("%s: %s is described", answer.request(), type).isFalse();
    if (type.endsWith("json")) {
      JsonSchema schema = SCHEMAS.computeIfAbsent(content.get("schema"), Described::schema);
      answer
          .body()
          .lines()
          .limit(LINES)
          .forEach(
              line -> assertThat(schema.validate(Rest.json(line))).as(answer.request()).isEmpty());
    }
  }

  /** Returns the violations of a named schema by a JSON document. */
  static Set<ValidationMessage> faults(String name, String json) {
    return schema(DOCUMENT.at("/components/schemas/" + name)).validate(Rest.json(json));
  }

  private static JsonSchema schema(JsonNode schema) {
    ObjectNode whole = new ObjectMapper().createObjectNode();
    whole.put("$schema", "https://json-schema.org/draft/2020-12/schema");
    whole.set("components", DOCUMENT.get("components"));
    whole.putArray("allOf").add(schema);
    return FACTORY.getSchema(whole);
  }
}
