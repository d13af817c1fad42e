package io.kvreactive.documents;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.internal.path.PathParser;
import io.kvreactive.documents.internal.policy.ComputedRules;
import io.kvreactive.documents.internal.policy.DefinitionRules;
import io.kvreactive.documents.internal.value.Values;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.immutables.value.Value;
import org.jspecify.annotations.Nullable;

/**
 * The definition of a collection: partition key, indexing policy, expiry, unique keys and computed
 * properties. Immutable, validated and in normal form.
 *
 * <p>Full-text indexes, and vector indexes of types other than flat without kv-vector, are
 * validated but rejected as unsupported. Spatial indexes require the module kv-spatial on the class
 * path.
 *
 * <p>Each copy is validated as a whole: the embeddings of vectors come before the policy whose
 * vector indexes need them, {@code DEFAULT.withVectorEmbeddings(…).withIndexingPolicy(…)}.
 *
 * @param partitionKey the paths whose values together name the partition of an item: labels only,
 *     at most 3. If empty, all items are in one partition. Cannot be changed
 * @param defaultTtl the seconds from the last write of an item to its expiry, for items without a
 *     {@code ttl} of their own; -1 if only items with a {@code ttl} expire; null if no item
 *     expires, whatever its {@code ttl}
 * @param uniqueKeys the unique keys: at most 10, each of at most 16 paths. Cannot be changed
 * @param vectorEmbeddings the types of the vectors at some paths
 * @param computedProperties the members computed from items: at most 20. A property is indexed by
 *     an included path of its own, such as {@code /cp_lower/?}, or by a composite index
 */
@Value.Builder
public record CollectionDefinition(
    List<String> partitionKey,
    IndexingPolicy indexingPolicy,
    @Nullable Integer defaultTtl,
    List<UniqueKey> uniqueKeys,
    GeospatialType geospatialType,
    List<VectorEmbedding> vectorEmbeddings,
    List<ComputedProperty> computedProperties)
    implements WithCollectionDefinition {

  /** The definition with one partition, the default policy, no expiry and no unique keys. */
  public static final CollectionDefinition DEFAULT =
      new CollectionDefinitionBuilder()
          .indexingPolicy(IndexingPolicy.DEFAULT)
          .geospatialType(GeospatialType.GEOGRAPHY)
          .build();

  /**
   * Validates the definition and brings it into normal form.
   *
   * @throws DocumentException INVALID_POLICY or INVALID_PATH, with the first error found
   */
  public CollectionDefinition {
    Objects.requireNonNull(indexingPolicy, "indexingPolicy");
    Objects.requireNonNull(geospatialType, "geospatialType");
    vectorEmbeddings = List.copyOf(vectorEmbeddings);
    DefinitionRules.check(indexingPolicy, defaultTtl, geospatialType, vectorEmbeddings);
    partitionKey = DefinitionRules.partitionKey(partitionKey);
    uniqueKeys = DefinitionRules.uniqueKeys(uniqueKeys);
    computedProperties = List.copyOf(computedProperties);
    ComputedRules.check(computedProperties, indexingPolicy, partitionKey, uniqueKeys);
  }

  /**
   * Checks that a collection may change from one definition to another. Partition key, unique keys,
   * vector embeddings and vector indexes must not change.
   *
   * @throws DocumentException NOT_CHANGEABLE if the change is not allowed
   */
  public static void checkReplaceable(CollectionDefinition old, CollectionDefinition replacement) {
    same(
        old.indexingPolicy().vectorIndexes().equals(replacement.indexingPolicy().vectorIndexes())
            && old.vectorEmbeddings().equals(replacement.vectorEmbeddings()),
        "Paths in existing vector indexing policy cannot be modified in Collection Replace");
    same(
        Set.copyOf(old.uniqueKeys()).equals(Set.copyOf(replacement.uniqueKeys())),
        "uniqueKeyPolicy of a collection cannot be changed: it is "
            + old.uniqueKeys().stream().map(UniqueKey::paths).toList());
    same(
        old.partitionKey().equals(replacement.partitionKey()),
        "partitionKey of a collection cannot be changed: it is " + old.partitionKey());
  }

  private static void same(boolean same, String message) {
    if (!same) {
      throw new DocumentException(DocumentErrorCode.NOT_CHANGEABLE, message);
    }
  }

  /**
   * Returns the partition key of a document: the values at the paths of the partition key. A value
   * that is missing, or is an array or object, is null.
   */
  public PartitionKey partitionKeyOf(JsonNode document) {
    return new PartitionKey(
        partitionKey.stream()
            .map(path -> Values.scalar(PathParser.property(path).in(document)))
            .toList());
  }
}
