package io.kvreactive.documents;

import io.kvreactive.documents.internal.layout.IndexLayout;
import io.kvreactive.documents.internal.path.IndexPath;
import io.kvreactive.documents.internal.policy.DefinitionReader;
import io.kvreactive.documents.internal.policy.DefinitionWriter;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The JSON of collection definitions and indexing policies, parsed and written, in the format of
 * Azure Cosmos DB.
 */
public final class Definitions {
  private Definitions() {}

  /**
   * Parses a definition from JSON: a definition, an indexing policy alone, or the description of a
   * collection, whose name, etag, sizes and progress are ignored. The members of a definition are
   * {@code partitionKey}, {@code indexingPolicy}, {@code defaultTtl}, {@code uniqueKeyPolicy},
   * {@code geospatialConfig}, {@code vectorEmbeddingPolicy} and {@code computedProperties}, each
   * optional.
   *
   * @throws DocumentException INVALID_POLICY for invalid JSON, a member that is unknown or of a
   *     wrong type, or a value that violates the rules; INVALID_PATH for an invalid path
   */
  public static CollectionDefinition parse(String json) {
    return parse(json, dropped -> {});
  }

  /**
   * Parses a definition, as {@link #parse(String)} does.
   *
   * @param notes the consumer of one sentence for each part that has no effect, see {@link
   *     #parsePolicy(String, Consumer)}, and for each path of vectors whose elements the policy
   *     indexes one by one
   */
  public static CollectionDefinition parse(String json, Consumer<String> notes) {
    return parse(json, CollectionDefinition.DEFAULT, notes);
  }

  /**
   * Parses the replacement of a definition, as {@link #parse(String, Consumer)} does. An indexing
   * policy alone replaces the policy of the current definition.
   */
  public static CollectionDefinition parse(
      String json, CollectionDefinition current, Consumer<String> notes) {
    CollectionDefinition definition = DefinitionReader.definition(json, current, notes);
    for (IndexPath path : IndexLayout.vectorsWithRangeEntries(definition)) {
      notes.accept(rangeEntries(path.text(), definition.indexingPolicy().includedPaths()));
    }
    return definition;
  }

  /**
   * Parses a policy from JSON. Missing members have their defaults; {@code {}} lacks the root and
   * is rejected. {@code indexes} of a path, from old policies, is ignored, except that a spatial
   * one becomes a spatial index.
   *
   * @throws DocumentException INVALID_POLICY for invalid JSON, a member that is unknown or of a
   *     wrong type, or a value that violates the rules; INVALID_PATH for an invalid path
   */
  public static IndexingPolicy parsePolicy(String json) {
    return parsePolicy(json, dropped -> {});
  }

  /**
   * Parses a policy, as {@link #parsePolicy(String)} does.
   *
   * @param dropped the consumer of one sentence for each part of the policy that has no effect.
   *     Indexes of old policies, superfluous composite indexes, and all paths and indexes with the
   *     mode none are not kept. Included paths of {@code _etag}, and excluded paths of {@code id}
   *     and {@code _ts}, are
   */
  public static IndexingPolicy parsePolicy(String json, Consumer<String> dropped) {
    return DefinitionReader.policy(json, dropped);
  }

  /** Returns a definition as JSON. {@link #parse} returns an equal definition for this JSON. */
  public static String toJson(CollectionDefinition definition) {
    return DefinitionWriter.write(definition).toString();
  }

  /** Returns a policy as JSON. {@link #parsePolicy} returns an equal policy for this JSON. */
  public static String toJson(IndexingPolicy policy) {
    return DefinitionWriter.write(policy).toString();
  }

  private static String rangeEntries(String path, List<String> includedPaths) {
    List<String> own =
        Stream.of("/*", "/[]/?", "/[]/*")
            .map(path::concat)
            .filter(includedPaths::contains)
            .toList();
    return "The policy indexes each element of the vectors at '%s': add '%s/*' to excludedPaths%s."
        .formatted(
            path,
            path,
            own.isEmpty()
                ? ""
                : " and remove '" + String.join("', '", own) + "' from includedPaths");
  }
}
