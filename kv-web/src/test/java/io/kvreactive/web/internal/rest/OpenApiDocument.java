package io.kvreactive.web.internal.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.kvreactive.web.internal.auth.Operation;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.Yaml;

/**
 * Derives {@code openapi.yaml} from the table of operations and {@code api.yaml}, whose notation it
 * explains.
 */
final class OpenApiDocument {
  private static final Pattern VARIABLE = Pattern.compile(":(\\w+)");
  private static final String PROBLEM = "application/problem+json";
  private static final String DEFAULT = "default"; // the status of all other errors
  private static final Set<String> TYPES =
      Set.of("string", "integer", "number", "boolean", "null", "object");
  private static final Map<String, String> MEDIA_TYPES =
      Map.of(
          "json", "application/json",
          "lines", "application/x-ndjson",
          "events", "text/event-stream",
          "bytes", "application/octet-stream");

  /** The parameters of the variables of paths. */
  private static final Map<String, String> VARIABLES =
      Map.of(
          "collection", "collection",
          "group", "group",
          "id", "itemId",
          "name", "tokenName",
          "range", "leaseRange");

  private final JsonNode source;
  private final JsonNode components;

  private OpenApiDocument(JsonNode source) {
    this.source = source;
    this.components = source.path("components");
  }

  /** Returns the text of {@code openapi.yaml}. */
  static String of(Path api) throws IOException {
    DumperOptions options = new DumperOptions();
    options.setDefaultFlowStyle(DumperOptions.FlowStyle.AUTO);
    options.setWidth(120);
    options.setIndicatorIndent(2);
    options.setIndentWithIndicator(true);
    JsonNode document = new OpenApiDocument(new YAMLMapper().readTree(api.toFile())).document();
    return "# Generated from api.yaml and the table of operations. Do not edit.\n"
        + new Yaml(options).dump(new ObjectMapper().convertValue(document, Map.class));
  }

  /** All routes except the WebSocket, which OpenAPI cannot describe. */
  static List<Operation> described() {
    return Arrays.stream(Operation.values())
        .filter(row -> row.isRoute() && row != Operation.OPEN_STREAM)
        .filter(row -> row == Operation.OPENAPI || row.path().startsWith("/api/v1/"))
        .toList();
  }

  private JsonNode document() {
    ObjectNode document = object();
    each(
        source,
        (name, node) -> {
          if (name.equals("operations")) {
            document.set("paths", paths(node));
          } else if (!name.equals("components")) {
            document.set(name, node);
          }
        });
    document.set("components", components());
    return document;
  }

  private ObjectNode paths(JsonNode operations) {
    Map<String, Operation> rows =
        described().stream().collect(Collectors.toMap(Operation::id, row -> row));
    List<String> names = new ArrayList<>();
    operations.fieldNames().forEachRemaining(names::add);
    assertThat(names).containsExactlyInAnyOrderElementsOf(rows.keySet());
    ObjectNode paths = object();
    for (String name : names) {
      Operation row = rows.get(name);
      ObjectNode path = paths.withObjectProperty(row.path().replaceAll(VARIABLE.pattern(), "{$1}"));
      if (path.isEmpty() && VARIABLE.matcher(row.path()).find()) {
        ArrayNode variables = path.putArray("parameters");
        for (Matcher each = VARIABLE.matcher(row.path()); each.find(); ) {
          variables.add(reference("parameters", VARIABLES.get(each.group(1))));
        }
      }
      path.set(row.method().toLowerCase(Locale.ROOT), operation(row, operations.get(name)));
    }
    return paths;
  }

  private ObjectNode operation(Operation row, JsonNode described) {
    ObjectNode operation = object().put("operationId", row.id());
    operation.set("summary", described.get("summary"));
    copy(described, operation, "description");
    operation.set("tags", described.get("tags"));
    if (row.rights() == Operation.Rights.NO_TOKEN) {
      operation.putArray("security");
    }
    if (row.home() == Operation.Home.SERVER) {
      operation.putArray("servers").addObject().put("url", "/");
    }
    if (described.has("parameters")) {
      ArrayNode parameters = operation.putArray("parameters");
      described
          .get("parameters")
          .forEach(each -> parameters.add(named("parameters", each, this::parameter)));
    }
    if (row.body() != Operation.Body.NONE) {
      ObjectNode body = operation.putObject("requestBody");
      body.put("required", described.path("bodyRequired").asBoolean(true));
      ObjectNode content = body.putObject("content");
      for (String type : row.body().types()) {
        boolean bytes = type.equals(MEDIA_TYPES.get("bytes"));
        JsonNode schema =
            bytes ? JsonNodeFactory.instance.textNode("binary") : described.get("body");
        content.putObject(type).set("schema", schema(schema));
      }
    }
    operation.set("responses", responses(row, described));
    return operation;
  }

  private ObjectNode responses(Operation row, JsonNode described) {
    ObjectNode responses = object();
    each(
        described.get("answers"),
        (status, answer) -> responses.set(status, named("responses", answer, this::answer)));
    boolean severalTypes =
        described.get("answers").findParents("json").stream().anyMatch(one -> types(one) > 1);
    Map<String, JsonNode> errors = new TreeMap<>();
    for (String name : impliedErrors(row, severalTypes)) {
      errors.put(
          components.at("/errors/" + name + "/status").asText(), reference("responses", name));
    }
    for (JsonNode error : described.path("errors")) {
      if (error.isTextual()) {
        String status = components.at("/errors/" + error.asText() + "/status").asText();
        errors.put(status, reference("responses", error.asText()));
      } else {
        each(error, (status, text) -> errors.put(status, error(object().set("description", text))));
      }
    }
    errors.forEach(responses::set); // the default comes last
    return responses;
  }

  private static long types(JsonNode answer) {
    return MEDIA_TYPES.keySet().stream().filter(answer::has).count();
  }

  /** Returns the errors that follow from a row of the table. */
  private static List<String> impliedErrors(Operation row, boolean severalTypes) {
    List<String> errors = new ArrayList<>();
    if (row.rights() != Operation.Rights.NO_TOKEN) {
      errors.addAll(List.of("Bad", "Unauthenticated", "Forbidden", "Failed"));
    }
    if (row.body() != Operation.Body.NONE) {
      errors.add("WrongType");
    }
    if (row.body() != Operation.Body.NONE && row.body() != Operation.Body.LINES) {
      errors.add("TooLarge"); // lines may have any length together
    }
    if (row.path().contains(":collection")) {
      errors.add("NoCollection");
    } else if (row.home() != Operation.Home.SERVER) {
      errors.add("NoDatabase");
    }
    if (severalTypes) {
      errors.add("NotAcceptable");
    }
    return errors;
  }

  private ObjectNode components() {
    ObjectNode all = object();
    all.set("securitySchemes", components.get("securitySchemes"));
    all.set("parameters", map(components.get("parameters"), this::parameter));
    all.set("headers", map(components.get("headers"), this::withSchema));
    ObjectNode responses = map(components.get("responses"), this::answer);
    responses.setAll(map(components.get("errors"), this::error));
    all.set("responses", responses);
    all.set("schemas", map(components.get("schemas"), this::schema));
    return all;
  }

  // ---- the notation

  private JsonNode parameter(JsonNode described) {
    ObjectNode parameter = object();
    parameter.set("name", described.get("name"));
    parameter.put("in", described.path("in").asText("query"));
    each(
        described,
        (name, node) -> {
          if (name.equals("json")) {
            parameter
                .putObject("content")
                .putObject(MEDIA_TYPES.get("json"))
                .set("schema", schema(node));
          } else {
            parameter.set(name, name.equals("schema") ? schema(node) : node);
          }
        });
    return parameter;
  }

  private JsonNode withSchema(JsonNode header) {
    ObjectNode result = object();
    each(header, (name, node) -> result.set(name, name.equals("schema") ? schema(node) : node));
    return result;
  }

  private JsonNode answer(JsonNode described) {
    ObjectNode answer = object();
    answer.set("description", described.get("description"));
    headers(described, answer);
    each(
        described,
        (name, node) -> {
          String type = MEDIA_TYPES.get(name);
          if (type != null) {
            answer.withObjectProperty("content").putObject(type).set("schema", schema(node));
          }
        });
    return answer;
  }

  private JsonNode error(JsonNode described) {
    ObjectNode error = object();
    error.set("description", described.get("description"));
    headers(described, error);
    error.putObject("content").putObject(PROBLEM).set("schema", reference("schemas", "Problem"));
    return error;
  }

  private void headers(JsonNode described, ObjectNode answer) {
    Map<String, String> known = Map.of("versionstamp", "X-Kv-Versionstamp", "etag", "ETag");
    for (JsonNode header : described.path("headers")) {
      ObjectNode headers = answer.withObjectProperty("headers");
      if (header.isTextual()) {
        headers.set(known.get(header.asText()), reference("headers", header.asText()));
      } else {
        each(header, (name, node) -> headers.set(name, withSchema(node)));
      }
    }
  }

  /** Returns a reference if {@code described} is the name of a component. */
  private static JsonNode named(
      String kind, JsonNode described, UnaryOperator<JsonNode> definition) {
    return described.isTextual()
        ? reference(kind, described.asText())
        : definition.apply(described);
  }

  private JsonNode schema(JsonNode described) {
    if (described.isTextual()) {
      return schemaOf(described.asText());
    } else if (described.isArray()) {
      assertThat(described).hasSize(1);
      ObjectNode array = object().put("type", "array");
      array.set("items", schema(described.get(0)));
      return array;
    } else if (!described.isObject()) {
      return described;
    }
    ObjectNode schema = object();
    if (described.has("object") || described.has("optional")) {
      closedObject(described, schema);
    }
    each(
        described,
        (name, node) -> {
          switch (name) {
            case "object", "optional" -> {}
            case "$ref" -> schema.setAll(reference("schemas", node.asText().substring(1)));
            case "properties" -> schema.set(name, map(node, this::schema));
            case "items", "additionalProperties" -> schema.set(name, schema(node));
            case "oneOf", "anyOf", "allOf" ->
                node.forEach(each -> schema.withArray(name).add(schema(each)));
            default -> schema.set(name, node);
          }
        });
    return schema;
  }

  private static ObjectNode schemaOf(String name) {
    if (name.startsWith("$")) {
      return reference("schemas", name.substring(1));
    } else if (name.equals("binary")) {
      return object().put("type", "string").put("format", "binary");
    }
    assertThat(TYPES).contains(name);
    return object().put("type", name);
  }

  private void closedObject(JsonNode described, ObjectNode schema) {
    JsonNode required = described.path("object");
    schema.put("type", "object");
    required.fieldNames().forEachRemaining(schema.withArray("required")::add);
    if (required.isEmpty()) {
      schema.remove("required");
    }
    schema.put("additionalProperties", false);
    ObjectNode properties = schema.putObject("properties");
    for (JsonNode part : List.of(required, described.path("optional"))) {
      properties.setAll(map(part, this::schema));
    }
  }

  // ---- JSON

  private static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }

  private static ObjectNode reference(String kind, String name) {
    return object().put("$ref", "#/components/" + kind + "/" + name);
  }

  private static void copy(JsonNode from, ObjectNode to, String name) {
    if (from.has(name)) {
      to.set(name, from.get(name));
    }
  }

  private static void each(JsonNode object, BiConsumer<String, JsonNode> action) {
    object.properties().forEach(member -> action.accept(member.getKey(), member.getValue()));
  }

  private static ObjectNode map(JsonNode object, UnaryOperator<JsonNode> change) {
    ObjectNode result = object();
    each(object, (name, node) -> result.set(name, change.apply(node)));
    return result;
  }
}
