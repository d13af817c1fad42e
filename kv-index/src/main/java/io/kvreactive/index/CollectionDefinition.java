package io.kvreactive.index;

import io.kvreactive.index.internal.policy.DefinitionReader;
import io.kvreactive.index.internal.policy.DefinitionRules;
import io.kvreactive.index.internal.policy.DefinitionWriter;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What a collection is: how its items are partitioned, indexed, kept unique and when they expire.
 * Immutable, checked and in normal form.
 *
 * <p>Full-text indexes, and vector indexes of other types than flat, are checked, but not supported
 * yet: a definition that has one is refused. Spatial indexes are supported where the module
 * kv-spatial is on the class path.
 *
 * @param partitionKey paths whose values together name the partition of an item, labels only, at
 *     most 3; none: all items are in one partition. Cannot be changed
 * @param defaultTtl seconds after their last write when items expire that have no {@code ttl} of
 *     their own; -1: only those with one expire; null: none does, whatever its {@code ttl}
 * @param uniqueKeys at most 10, each of at most 16 paths. Cannot be changed
 * @param vectorEmbeddings what the vectors at some paths are
 */
public record CollectionDefinition(
    List<String> partitionKey,
    IndexingPolicy indexingPolicy,
    @Nullable Integer defaultTtl,
    List<UniqueKey> uniqueKeys,
    GeospatialType geospatialType,
    List<VectorEmbedding> vectorEmbeddings) {

  /** One partition, the default policy, no expiry, nothing unique. */
  public static final CollectionDefinition DEFAULT =
      new CollectionDefinition(
          List.of(), IndexingPolicy.DEFAULT, null, List.of(), GeospatialType.GEOGRAPHY, List.of());

  /**
   * @throws IndexException INVALID_POLICY or INVALID_PATH, with the first thing that is wrong
   */
  public CollectionDefinition {
    Objects.requireNonNull(indexingPolicy, "indexingPolicy");
    Objects.requireNonNull(geospatialType, "geospatialType");
    vectorEmbeddings = List.copyOf(vectorEmbeddings);
    DefinitionRules.check(indexingPolicy, defaultTtl, geospatialType, vectorEmbeddings);
    partitionKey = DefinitionRules.partitionKey(partitionKey);
    uniqueKeys = DefinitionRules.uniqueKeys(uniqueKeys);
  }

  /** This definition with another partition key; no paths: one partition. */
  public CollectionDefinition withPartitionKey(String... paths) {
    return new CollectionDefinition(
        List.of(paths), indexingPolicy, defaultTtl, uniqueKeys, geospatialType, vectorEmbeddings);
  }

  /** This definition with another policy. */
  public CollectionDefinition withIndexingPolicy(IndexingPolicy policy) {
    return new CollectionDefinition(
        partitionKey, policy, defaultTtl, uniqueKeys, geospatialType, vectorEmbeddings);
  }

  /** This definition with another default time to live, in seconds; null: items do not expire. */
  public CollectionDefinition withDefaultTtl(@Nullable Integer seconds) {
    return new CollectionDefinition(
        partitionKey, indexingPolicy, seconds, uniqueKeys, geospatialType, vectorEmbeddings);
  }

  /** This definition with shapes on the globe, or on a plane, for which its spatial indexes are. */
  public CollectionDefinition withGeospatialType(GeospatialType type) {
    return new CollectionDefinition(
        partitionKey, indexingPolicy, defaultTtl, uniqueKeys, type, vectorEmbeddings);
  }

  /** This definition with these vector embeddings. */
  public CollectionDefinition withVectorEmbeddings(VectorEmbedding... embeddings) {
    return new CollectionDefinition(
        partitionKey, indexingPolicy, defaultTtl, uniqueKeys, geospatialType, List.of(embeddings));
  }

  /** This definition with these unique keys. */
  public CollectionDefinition withUniqueKeys(UniqueKey... keys) {
    return new CollectionDefinition(
        partitionKey, indexingPolicy, defaultTtl, List.of(keys), geospatialType, vectorEmbeddings);
  }

  /**
   * Whether a collection may go from one definition to another: partition key, unique keys, vector
   * embeddings and vector indexes stay as they are.
   *
   * @throws IndexException NOT_CHANGEABLE if it may not
   */
  public static void checkReplaceable(CollectionDefinition old, CollectionDefinition replacement) {
    DefinitionRules.checkReplaceable(old, replacement);
  }

  /**
   * Reads a definition: {@code partitionKey}, {@code indexingPolicy}, {@code defaultTtl}, {@code
   * uniqueKeyPolicy}, {@code geospatialConfig}, {@code vectorEmbeddingPolicy}, each optional.
   *
   * @throws IndexException INVALID_POLICY for what is no JSON, a member that is not known or of a
   *     wrong type, or anything that the rules forbid; INVALID_PATH for a path
   */
  public static CollectionDefinition parse(String json) {
    return parse(json, dropped -> {});
  }

  /**
   * Reads a definition, as {@link #parse(String)} does.
   *
   * @param dropped is told, in a sentence each, what of its policy is not kept, see {@link
   *     IndexingPolicy#parse(String, Consumer)}
   */
  public static CollectionDefinition parse(String json, Consumer<String> dropped) {
    return DefinitionReader.definition(json, dropped);
  }

  /** The definition as JSON. {@link #parse} gives an equal definition back. */
  public String toJson() {
    return DefinitionWriter.write(this).toString();
  }
}
