package io.kvreactive.index;

import io.kvreactive.index.internal.policy.DefinitionReader;
import io.kvreactive.index.internal.policy.DefinitionWriter;
import io.kvreactive.index.internal.policy.PolicyRules;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * Which places of items are indexed, and how; in the form of Azure Cosmos DB. Immutable, checked
 * and in normal form: paths are canonical, and duplicates inside a list are gone. The lists keep
 * their order, which has no meaning except inside a composite index. With the mode {@link
 * IndexingMode#NONE} all lists are ignored, and so are empty.
 *
 * <p>The deepest included or excluded path that matches a place decides whether it is indexed; of
 * two equally deep ones the one with {@code /?}. {@code id} and {@code _ts} are always indexed, and
 * no query is served by an index of {@code _etag}, even if it is included.
 *
 * <p>{@link IndexingMode#LAZY} needs {@link DocumentStoreOptions#allowLazy()}: queries may lack
 * items.
 *
 * @param automatic whether items are indexed if the write does not say otherwise
 * @param includedPaths such as {@code /*}, {@code /name/?}, {@code /tags/[]/?} or the tuple {@code
 *     /events/[]/{name, category}/?}; at most 1500
 * @param excludedPaths such as {@code /"_etag"/?}; at most 1500
 * @param compositeIndexes each of 2 to 8 paths, together at most 100 paths; a second one with the
 *     same paths and the same or all opposite directions is dropped, since the first one serves
 *     both
 * @param spatialIndexes of shapes, where kv-spatial is on the class path
 * @param vectorIndexes of the type flat; they cannot be changed
 * @param fullTextIndexes none: they are not supported yet
 */
public record IndexingPolicy(
    IndexingMode indexingMode,
    boolean automatic,
    List<String> includedPaths,
    List<String> excludedPaths,
    List<List<CompositePath>> compositeIndexes,
    List<SpatialIndex> spatialIndexes,
    List<VectorIndex> vectorIndexes,
    List<String> fullTextIndexes) {

  /** What a collection gets that does not tell: all but {@code _etag} is indexed. */
  public static final IndexingPolicy DEFAULT = of(List.of("/*"), List.of("/\"_etag\"/?"));

  /**
   * @throws IndexException INVALID_POLICY or INVALID_PATH, with the first thing that is wrong
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

  /** A consistent policy of these paths. One of the lists has the root, {@code /*}. */
  public static IndexingPolicy of(List<String> includedPaths, List<String> excludedPaths) {
    return new IndexingPolicy(
        IndexingMode.CONSISTENT,
        true,
        includedPaths,
        excludedPaths,
        List.of(),
        List.of(),
        List.of(),
        List.of());
  }

  /** All is indexed but these paths, such as {@code /payload/*}. */
  public static IndexingPolicy includeRoot(String... excludedPaths) {
    List<String> excluded = new ArrayList<>(DEFAULT.excludedPaths);
    excluded.addAll(List.of(excludedPaths));
    return of(List.of("/*"), excluded);
  }

  /** Nothing is indexed but these paths, such as {@code /name/?}, and {@code id} and _ts. */
  public static IndexingPolicy excludeRoot(String... includedPaths) {
    return of(List.of(includedPaths), List.of("/*"));
  }

  /** Just what items need to expire: {@code id} and {@code _ts} are indexed, nothing else. */
  public static IndexingPolicy ttlOnly() {
    return excludeRoot();
  }

  /** No indexes. */
  public static IndexingPolicy none() {
    return new IndexingPolicy(
        IndexingMode.NONE, true, List.of(), List.of(), List.of(), List.of(), List.of(), List.of());
  }

  /** This policy and a composite index more. */
  public IndexingPolicy withComposite(CompositePath... paths) {
    List<List<CompositePath>> more = new ArrayList<>(compositeIndexes);
    more.add(List.of(paths));
    return withComposites(more);
  }

  /** This policy with these composite indexes instead of its own. */
  public IndexingPolicy withComposites(List<List<CompositePath>> composites) {
    return new IndexingPolicy(
        indexingMode,
        automatic,
        includedPaths,
        excludedPaths,
        composites,
        spatialIndexes,
        vectorIndexes,
        fullTextIndexes);
  }

  /** This policy and a spatial index more. */
  public IndexingPolicy withSpatial(SpatialIndex index) {
    List<SpatialIndex> more = new ArrayList<>(spatialIndexes);
    more.add(index);
    return with(more, vectorIndexes);
  }

  /** This policy and a vector index more, which the definition has an embedding for. */
  public IndexingPolicy withVector(VectorIndex index) {
    List<VectorIndex> more = new ArrayList<>(vectorIndexes);
    more.add(index);
    return with(spatialIndexes, more);
  }

  private IndexingPolicy with(List<SpatialIndex> spatial, List<VectorIndex> vectors) {
    return new IndexingPolicy(
        indexingMode,
        automatic,
        includedPaths,
        excludedPaths,
        compositeIndexes,
        spatial,
        vectors,
        fullTextIndexes);
  }

  /** This policy and included paths more, which may be tuples. */
  public IndexingPolicy withIncluded(String... paths) {
    List<String> more = new ArrayList<>(includedPaths);
    more.addAll(List.of(paths));
    return withPaths(more, excludedPaths);
  }

  /** This policy and excluded paths more. */
  public IndexingPolicy withExcluded(String... paths) {
    List<String> more = new ArrayList<>(excludedPaths);
    more.addAll(List.of(paths));
    return withPaths(includedPaths, more);
  }

  /** This policy with these paths instead of its own. */
  public IndexingPolicy withPaths(List<String> included, List<String> excluded) {
    return new IndexingPolicy(
        indexingMode,
        automatic,
        included,
        excluded,
        compositeIndexes,
        spatialIndexes,
        vectorIndexes,
        fullTextIndexes);
  }

  /** This policy in another mode; {@code NONE} forgets all paths and indexes. */
  public IndexingPolicy withIndexingMode(IndexingMode mode) {
    return new IndexingPolicy(
        mode,
        automatic,
        includedPaths,
        excludedPaths,
        compositeIndexes,
        spatialIndexes,
        vectorIndexes,
        fullTextIndexes);
  }

  /** This policy, where writes say whether an item is indexed, or need not. */
  public IndexingPolicy withAutomatic(boolean newAutomatic) {
    return new IndexingPolicy(
        indexingMode,
        newAutomatic,
        includedPaths,
        excludedPaths,
        compositeIndexes,
        spatialIndexes,
        vectorIndexes,
        fullTextIndexes);
  }

  /**
   * Reads a policy. Members that are not there have their defaults; {@code {}} lacks the root, and
   * is refused. {@code indexes} of a path, of old policies, is ignored, except that a spatial one
   * becomes a spatial index.
   *
   * @throws IndexException INVALID_POLICY for what is no JSON, a member that is not known or of a
   *     wrong type, or anything that the rules forbid; INVALID_PATH for a path
   */
  public static IndexingPolicy parse(String json) {
    return parse(json, dropped -> {});
  }

  /**
   * Reads a policy, as {@link #parse(String)} does.
   *
   * @param dropped is told, in a sentence each, what of it is not kept because it means nothing:
   *     indexes of old policies, composite indexes that another one makes superfluous, and all
   *     paths and indexes with the mode none
   */
  public static IndexingPolicy parse(String json, Consumer<String> dropped) {
    return DefinitionReader.policy(json, dropped);
  }

  /** The policy as JSON. {@link #parse} gives an equal policy back. */
  public String toJson() {
    return DefinitionWriter.write(this).toString();
  }
}
