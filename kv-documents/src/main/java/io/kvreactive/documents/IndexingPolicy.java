package io.kvreactive.documents;

import io.kvreactive.documents.internal.policy.PolicyRules;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.immutables.value.Value;

/**
 * The indexing policy of a collection: the indexed paths and kinds of index, in the format of Azure
 * Cosmos DB. Immutable, validated and in normal form: paths are canonical, and lists have no
 * duplicates. The lists keep their order, which has no meaning except inside a composite index.
 * With the mode {@link IndexingMode#NONE} all lists are ignored and therefore empty.
 *
 * <p>The deepest included or excluded path that matches a value decides if the value is indexed. Of
 * two equally deep paths the one with {@code /?} decides. {@code id} and {@code _ts} are always
 * indexed. No query is served by an index of {@code _etag}, even if it is included.
 *
 * <p>{@link IndexingMode#LAZY} needs {@link DocumentStoreOptions#allowLazy()}: queries may miss
 * items.
 *
 * @param automatic true if items are indexed unless the write excludes them
 * @param includedPaths the included paths, such as {@code /*}, {@code /name/?}, {@code /tags/[]/?}
 *     or the tuple {@code /events/[]/{name, category}/?}; at most 1500
 * @param excludedPaths the excluded paths, such as {@code /"_etag"/?}; at most 1500
 * @param compositeIndexes the composite indexes, each of 2 to 8 paths, together at most 100 paths.
 *     A second index with the same paths and the same or all opposite directions is dropped, since
 *     the first one serves both
 * @param spatialIndexes the indexes of shapes, which require kv-spatial on the class path
 * @param vectorIndexes the vector indexes; they cannot be changed
 * @param fullTextIndexes empty: full-text indexes are not supported yet
 */
@Value.Builder
public record IndexingPolicy(
    IndexingMode indexingMode,
    boolean automatic,
    List<String> includedPaths,
    List<String> excludedPaths,
    List<List<CompositePath>> compositeIndexes,
    List<SpatialIndex> spatialIndexes,
    List<VectorIndex> vectorIndexes,
    List<String> fullTextIndexes) {

  /** The policy of a collection without a policy of its own: all paths except {@code _etag}. */
  public static final IndexingPolicy DEFAULT = of(List.of("/*"), List.of("/\"_etag\"/?"));

  /**
   * Validates the policy and brings it into normal form.
   *
   * @throws DocumentException INVALID_POLICY or INVALID_PATH, with the first error found
   */
  public IndexingPolicy {
    Objects.requireNonNull(indexingMode, "indexingMode");
    boolean none = indexingMode == IndexingMode.NONE;
    PolicyRules.Paths paths =
        none ? PolicyRules.Paths.NONE : PolicyRules.paths(includedPaths, excludedPaths);
    includedPaths = paths.included();
    excludedPaths = paths.excluded();
    compositeIndexes = none ? List.of() : PolicyRules.composites(compositeIndexes);
    PolicyRules.counts(includedPaths, excludedPaths);
    spatialIndexes = none ? List.of() : List.copyOf(spatialIndexes);
    vectorIndexes = none ? List.of() : List.copyOf(vectorIndexes);
    fullTextIndexes = none ? List.of() : List.copyOf(fullTextIndexes);
  }

  /**
   * Returns a consistent policy of these paths. One of the lists must contain the root, {@code /*}.
   */
  public static IndexingPolicy of(List<String> includedPaths, List<String> excludedPaths) {
    return new IndexingPolicyBuilder()
        .indexingMode(IndexingMode.CONSISTENT)
        .automatic(true)
        .includedPaths(includedPaths)
        .excludedPaths(excludedPaths)
        .build();
  }

  /** Returns a policy that indexes all paths except these, such as {@code /payload/*}. */
  public static IndexingPolicy includeRoot(String... excludedPaths) {
    List<String> excluded = new ArrayList<>(DEFAULT.excludedPaths);
    excluded.addAll(List.of(excludedPaths));
    return of(List.of("/*"), excluded);
  }

  /**
   * Returns a policy that indexes only these paths, such as {@code /name/?}, and {@code id} and
   * {@code _ts}.
   */
  public static IndexingPolicy excludeRoot(String... includedPaths) {
    return of(List.of(includedPaths), List.of("/*"));
  }

  /** Returns the minimal policy for expiry: only {@code id} and {@code _ts} are indexed. */
  public static IndexingPolicy ttlOnly() {
    return excludeRoot();
  }

  /** Returns the policy without indexes. */
  public static IndexingPolicy none() {
    return new IndexingPolicyBuilder().indexingMode(IndexingMode.NONE).automatic(true).build();
  }

  /** Returns this policy with an additional composite index. */
  public IndexingPolicy withComposite(CompositePath... paths) {
    return copy().addCompositeIndexes(List.of(paths)).build();
  }

  /** Returns this policy with other composite indexes. */
  public IndexingPolicy withComposites(List<List<CompositePath>> composites) {
    return copy().compositeIndexes(composites).build();
  }

  /** Returns this policy with an additional spatial index. */
  public IndexingPolicy withSpatial(SpatialIndex index) {
    return copy().addSpatialIndexes(index).build();
  }

  /**
   * Returns this policy with an additional vector index, for which the definition has an embedding.
   */
  public IndexingPolicy withVector(VectorIndex index) {
    return copy().addVectorIndexes(index).build();
  }

  /** Returns this policy with additional included paths, which may be tuples. */
  public IndexingPolicy withIncluded(String... paths) {
    return copy().addIncludedPaths(paths).build();
  }

  /** Returns this policy with additional excluded paths. */
  public IndexingPolicy withExcluded(String... paths) {
    return copy().addExcludedPaths(paths).build();
  }

  /** Returns this policy with other included and excluded paths. */
  public IndexingPolicy withPaths(List<String> included, List<String> excluded) {
    return copy().includedPaths(included).excludedPaths(excluded).build();
  }

  /** Returns this policy in another mode; {@code NONE} drops all paths and indexes. */
  public IndexingPolicy withIndexingMode(IndexingMode mode) {
    return copy().indexingMode(mode).build();
  }

  /** Returns this policy with another default for writes that do not say if an item is indexed. */
  public IndexingPolicy withAutomatic(boolean newAutomatic) {
    return copy().automatic(newAutomatic).build();
  }

  private IndexingPolicyBuilder copy() {
    return new IndexingPolicyBuilder().from(this);
  }
}
