package io.kvreactive.documents.internal.policy;

import static io.kvreactive.documents.internal.policy.PolicyRules.invalid;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.ComputedProperty;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.GeospatialType;
import io.kvreactive.documents.IndexingPolicy;
import io.kvreactive.documents.UniqueKey;
import io.kvreactive.documents.VectorEmbedding;
import io.kvreactive.json.JsonSyntax;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads collection definitions from JSON. */
public final class DefinitionReader {
  /** Maximum length of a definition in characters: far more than its limits allow in practice. */
  public static final int MAX_TEXT = 4 << 20;

  private static final JsonMapper JSON = JsonSyntax.mapper();

  private static final Set<String> MEMBERS =
      Set.of(
          "partitionKey",
          "indexingPolicy",
          "defaultTtl",
          "uniqueKeyPolicy",
          "geospatialConfig",
          "vectorEmbeddingPolicy",
          "computedProperties");

  /**
   * Members of a description of a collection that report its state and are not part of the
   * definition.
   */
  private static final Set<String> DESCRIPTION =
      Set.of(
          "name",
          "id",
          "etag",
          "policyVersion",
          "indexTransformationProgress",
          "indexTransformation",
          "sizes",
          "warnings");

  private static final Set<String> ALL =
      Stream.concat(MEMBERS.stream(), DESCRIPTION.stream()).collect(Collectors.toUnmodifiableSet());

  private DefinitionReader() {}

  /**
   * Reads an indexing policy.
   *
   * @param dropped the callback for descriptions of parts that have no effect and are not kept
   */
  public static IndexingPolicy policy(String json, Consumer<String> dropped) {
    return PolicyReader.read(tree(json), dropped);
  }

  /**
   * Reads a collection definition, the description of a collection, or an indexing policy alone.
   *
   * @param current the definition whose policy is replaced by a policy alone
   * @param dropped the callback for descriptions of parts that have no effect
   */
  public static CollectionDefinition definition(
      String json, CollectionDefinition current, Consumer<String> dropped) {
    JsonNode tree = tree(json);
    return isPolicy(tree)
        ? current.withIndexingPolicy(PolicyReader.read(tree, dropped))
        : definition(tree, dropped);
  }

  private static boolean isPolicy(JsonNode json) {
    return json.isObject()
        && !json.isEmpty()
        && json.properties().stream()
            .allMatch(member -> PolicyReader.MEMBERS.contains(member.getKey()));
  }

  private static CollectionDefinition definition(JsonNode json, Consumer<String> dropped) {
    DefinitionMembers members = DefinitionMembers.of(json, "The definition", ALL);
    JsonNode policy = members.get("indexingPolicy");
    return new CollectionDefinition(
        partitionKey(members.get("partitionKey"), dropped),
        policy == null ? IndexingPolicy.DEFAULT : PolicyReader.read(policy, dropped),
        members.integerOrNull("defaultTtl"),
        uniqueKeys(members.get("uniqueKeyPolicy")),
        geospatialType(members.get("geospatialConfig")),
        embeddings(members.get("vectorEmbeddingPolicy")),
        members.list("computedProperties", DefinitionReader::computed));
  }

  /**
   * Reads a partition key. The members {@code kind} and {@code version} select the hash function of
   * Azure, and have no effect here.
   */
  private static List<String> partitionKey(@Nullable JsonNode node, Consumer<String> dropped) {
    if (node == null) {
      return List.of();
    }
    DefinitionMembers key =
        DefinitionMembers.of(node, "partitionKey", Set.of("paths", "kind", "version"));
    for (String member : List.of("kind", "version")) {
      if (key.has(member)) {
        dropped.accept("partitionKey.%s has no effect: items are not hashed.".formatted(member));
      }
    }
    return key.texts("paths");
  }

  private static List<UniqueKey> uniqueKeys(@Nullable JsonNode node) {
    if (node == null) {
      return List.of();
    }
    return DefinitionMembers.of(node, "uniqueKeyPolicy", Set.of("uniqueKeys"))
        .list(
            "uniqueKeys",
            key ->
                new UniqueKey(
                    DefinitionMembers.of(key, "uniqueKeys", Set.of("paths")).texts("paths")));
  }

  private static GeospatialType geospatialType(@Nullable JsonNode node) {
    if (node == null) {
      return GeospatialType.GEOGRAPHY;
    }
    String type = DefinitionMembers.of(node, "geospatialConfig", Set.of("type")).text("type");
    for (GeospatialType known : GeospatialType.values()) {
      if (known.text().equalsIgnoreCase(type)) {
        return known;
      }
    }
    throw invalid(
        "geospatialConfig.type must be Geography or Geometry, but is '"
            + AbbreviatedValue.text(type)
            + "'.");
  }

  private static List<VectorEmbedding> embeddings(@Nullable JsonNode node) {
    if (node == null) {
      return List.of();
    }
    Set<String> known = Set.of("path", "dataType", "dimensions", "distanceFunction");
    return DefinitionMembers.of(node, "vectorEmbeddingPolicy", Set.of("vectorEmbeddings"))
        .list(
            "vectorEmbeddings",
            one -> {
              DefinitionMembers embedding = DefinitionMembers.of(one, "vectorEmbeddings", known);
              return new VectorEmbedding(
                  embedding.text("path"),
                  embedding.text("dataType"),
                  embedding.integer("dimensions"),
                  embedding.text("distanceFunction"));
            });
  }

  private static ComputedProperty computed(JsonNode node) {
    DefinitionMembers property =
        DefinitionMembers.of(node, "computedProperties", Set.of("name", "query"));
    return new ComputedProperty(property.text("name"), property.text("query"));
  }

  private static JsonNode tree(String json) {
    if (json.length() > MAX_TEXT) {
      throw invalid(
          "The text has " + json.length() + " characters, at most " + MAX_TEXT + " are allowed.");
    }
    try {
      return JSON.readTree(json);
    } catch (JsonProcessingException e) {
      throw new DocumentException(
          DocumentErrorCode.INVALID_POLICY, "The text is not JSON at " + JsonSyntax.describe(e), e);
    }
  }
}
