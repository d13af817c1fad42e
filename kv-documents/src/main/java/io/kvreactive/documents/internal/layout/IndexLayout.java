package io.kvreactive.documents.internal.layout;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.CompositePath;
import io.kvreactive.documents.ComputedProperty;
import io.kvreactive.documents.IndexingMode;
import io.kvreactive.documents.IndexingPolicy;
import io.kvreactive.documents.UniqueKey;
import io.kvreactive.documents.VectorEmbedding;
import io.kvreactive.documents.VectorIndex;
import io.kvreactive.documents.internal.eval.ComputedProperties;
import io.kvreactive.documents.internal.path.ElementStep;
import io.kvreactive.documents.internal.path.IncludedPath;
import io.kvreactive.documents.internal.path.IndexPath;
import io.kvreactive.documents.internal.path.MemberStep;
import io.kvreactive.documents.internal.path.PathParser;
import io.kvreactive.documents.internal.path.PathRule;
import io.kvreactive.documents.internal.path.Step;
import io.kvreactive.documents.internal.path.TuplePath;
import io.kvreactive.documents.internal.path.WildcardStep;
import io.kvreactive.documents.internal.policy.EmbeddingPolicy;
import io.kvreactive.documents.spi.IndexExtension;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * One version of a collection's indexes, compiled. The layout decides which paths of items are
 * indexed, and lists all other indexes. Immutable except for a bounded cache of paths; thread-safe.
 */
public final class IndexLayout {
  private final boolean none;
  private final PathRuleTree rules;
  private final PathNode root;
  private final List<CompositeIndex> composites;
  private final List<TupleIndex> tuples;
  private final List<StoredTermIndex> terms;
  private final List<StoredVectorIndex> vectors;
  private final List<UniqueIndex> uniqueKeys;
  private final List<IndexPath> partitionKey;
  private final ComputedProperties computed;
  private final Set<String> computedNames = new LinkedHashSet<>();
  private final Set<String> ownRules = new HashSet<>();
  private final List<Rows> rows = new ArrayList<>();

  private IndexLayout(CollectionDefinition definition, ToIntFunction<String> numbers) {
    IndexingPolicy policy = definition.indexingPolicy();
    none = policy.indexingMode() == IndexingMode.NONE;
    List<PathRule> included = new ArrayList<>();
    List<TupleIndex> tupleIndexes = new ArrayList<>();
    for (String text : policy.includedPaths()) {
      IncludedPath path = PathParser.included(text);
      if (path instanceof TuplePath tuple) {
        int number = numbers.applyAsInt(tupleName(text));
        tupleIndexes.add(new TupleIndex(number, tuple.array(), tuple.members()));
      } else if (path instanceof PathRule rule) {
        included.add(rule);
      }
    }
    List<PathRule> excluded = new ArrayList<>();
    policy.excludedPaths().forEach(text -> excluded.add(PathParser.rule(text)));
    computed = ComputedProperties.of(definition.computedProperties());
    included.forEach(rule -> addLabel(rule.path(), ownRules));
    for (ComputedProperty property : definition.computedProperties()) {
      PathRule subtree = new PathRule(IndexPath.of(property.name()), true);
      if (!included.contains(subtree)) {
        excluded.add(subtree); // /* does not include computed properties
      }
      if (ownRules.contains(property.name())) {
        computedNames.add(property.name());
      }
    }
    rules = PathRuleTree.of(included, excluded);
    root = PathNode.root(rules);
    tuples = List.copyOf(tupleIndexes);
    composites =
        policy.compositeIndexes().stream()
            .map(parts -> composite(parts, numbers.applyAsInt(compositeName(parts, computed))))
            .toList();
    composites.forEach(
        index -> addComputed(index.components().stream().map(CompositeComponent::path).toList()));
    terms =
        IndexExtension.allIndexes(definition).stream()
            .map(index -> StoredTermIndex.of(numbers.applyAsInt(index.name()), index))
            .toList();
    vectors = vectors(definition, computed, numbers);
    for (StoredVectorIndex index : vectors) {
      if (index.shardPath() != null) {
        addComputed(Set.of(index.shardPath()));
      }
    }
    uniqueKeys =
        definition.uniqueKeys().stream()
            .map(key -> unique(key, numbers.applyAsInt(uniqueName(key))))
            .toList();
    partitionKey = definition.partitionKey().stream().map(PathParser::property).toList();
    composites.forEach(index -> rows.add(new Rows(PathTree.of(index), EntryKeys.of(index))));
    tuples.forEach(index -> rows.add(new Rows(PathTree.of(index), EntryKeys.of(index))));
    terms.forEach(index -> rows.add(new Rows(new TermRows(index), EntryKeys.of(index))));
  }

  /**
   * Compiles a definition.
   *
   * @param numbers the number of an index by its name, which is one of {@link #names}; two names
   *     must not share a number
   */
  public static IndexLayout of(CollectionDefinition definition, ToIntFunction<String> numbers) {
    return new IndexLayout(definition, numbers);
  }

  /**
   * Returns the names of all numbered indexes of a definition. The names are canonical texts, so
   * that an index keeps its entries if a new policy defines it again. Those of computed properties
   * include the queries, so that a changed query makes another index.
   */
  public static List<String> names(CollectionDefinition definition) {
    List<String> names = new ArrayList<>();
    ComputedProperties computed = ComputedProperties.of(definition.computedProperties());
    IndexingPolicy policy = definition.indexingPolicy();
    policy.compositeIndexes().forEach(parts -> names.add(compositeName(parts, computed)));
    for (String text : policy.includedPaths()) {
      if (PathParser.included(text) instanceof TuplePath) {
        names.add(tupleName(text));
      }
    }
    IndexExtension.allIndexes(definition).forEach(index -> names.add(index.name()));
    policy.vectorIndexes().forEach(index -> names.add(vectorName(index, computed)));
    definition.uniqueKeys().forEach(key -> names.add(uniqueName(key)));
    return names;
  }

  /** Returns the paths of a definition's vectors whose elements each have a range entry. */
  public static List<IndexPath> vectorsWithRangeEntries(CollectionDefinition definition) {
    if (definition.vectorEmbeddings().isEmpty()) {
      return List.of();
    }
    IndexLayout layout = of(definition, name -> 0);
    return definition.vectorEmbeddings().stream()
        .map(embedding -> PathParser.property(embedding.path()))
        .filter(path -> layout.indexesScalar(path.then(WildcardStep.ELEMENTS)))
        .toList();
  }

  /** Returns the computed properties of the definition. */
  public ComputedProperties computed() {
    return computed;
  }

  /**
   * Returns true if the first member of a path has the same meaning in another layout: stored in
   * both, or computed by the same query.
   */
  public boolean agreesOn(IndexPath path, IndexLayout other) {
    return path.size() == 0
        || !(path.steps().get(0) instanceof MemberStep member)
        || Objects.equals(computed.query(member.name()), other.computed.query(member.name()));
  }

  /** Returns the first members of the included paths, apart from the root. */
  Set<String> ownRules() {
    return ownRules;
  }

  /** Returns the item with the values of its indexed computed properties. */
  JsonNode withComputed(JsonNode item) {
    return computedNames.isEmpty() || !(item instanceof ObjectNode object)
        ? item
        : computed.materialize(object, computedNames);
  }

  /** Adds the computed properties that paths begin with. */
  private void addComputed(Collection<IndexPath> paths) {
    Set<String> labels = new LinkedHashSet<>();
    paths.forEach(path -> addLabel(path, labels));
    labels.removeIf(name -> computed.query(name) == null);
    computedNames.addAll(labels);
  }

  private static void addLabel(IndexPath path, Set<String> labels) {
    if (path.size() > 0 && path.steps().get(0) instanceof MemberStep member) {
      labels.add(member.name());
    }
  }

  /** Returns true if there are no range entries at all, because the mode of the policy is none. */
  public boolean isNone() {
    return none;
  }

  /** Returns true if every scalar at this path has a range entry. */
  public boolean indexesScalar(IndexPath path) {
    Found found = find(path);
    return found != null
        && (found.rule == null ? found.inherited : found.rule.indexesScalar(found.inherited));
  }

  /** Returns true if every array and object at this path has a range entry. */
  public boolean indexesContainer(IndexPath path) {
    Found found = find(path);
    return found != null
        && (found.rule == null ? found.inherited : found.rule.indexesContainer(found.inherited));
  }

  /**
   * Returns true if every item has an entry at this path. The entry says undefined if the item has
   * no value there, or an array or object that is not indexed.
   */
  public boolean explicit(IndexPath path) {
    Found found = find(path);
    return found != null && found.rule != null && found.rule.explicit();
  }

  public List<CompositeIndex> composites() {
    return composites;
  }

  public List<TupleIndex> tuples() {
    return tuples;
  }

  /** Returns the indexes of extensions. */
  public List<StoredTermIndex> terms() {
    return terms;
  }

  /** Returns the number of numbered indexes, which are all but range indexes and unique keys. */
  public int numbered() {
    return rows.size() + vectors.size();
  }

  /** Returns the vector indexes. */
  public List<StoredVectorIndex> vectors() {
    return vectors;
  }

  public List<UniqueIndex> uniqueKeys() {
    return uniqueKeys;
  }

  /** Returns the paths of the partition key; empty if there is only one partition. */
  public List<IndexPath> partitionKey() {
    return partitionKey;
  }

  PathRuleTree rules() {
    return rules;
  }

  PathNode root() {
    return root;
  }

  /** A numbered index: the rows of values of an item, and their keys. */
  record Rows(EntryRows shape, EntryKeys keys) {}

  List<Rows> rows() {
    return rows;
  }

  /** The rule that applies to a path: its own rule, if any, and the inherited one. */
  private record Found(@Nullable PathRuleTree rule, boolean inherited) {}

  private @Nullable Found find(IndexPath path) {
    // Entries have no ordinals, and paths that are too long have no entries.
    if (none
        || path.size() == 0
        || path.steps().stream().anyMatch(ElementStep.class::isInstance)
        || path.text().length() > IndexPath.MAX_TEXT) {
      return null;
    }
    PathRuleTree node = rules;
    boolean inherited = false;
    for (Step step : path.steps()) {
      inherited = node.inherits(inherited);
      PathRuleTree child = node.children.get(step);
      if (child == null) {
        return new Found(null, inherited);
      }
      node = child;
    }
    return new Found(node, inherited);
  }

  private static CompositeIndex composite(List<CompositePath> parts, int number) {
    return new CompositeIndex(
        number,
        parts.stream()
            .map(
                part ->
                    new CompositeComponent(PathParser.composite(part.path()), part.isDescending()))
            .toList());
  }

  /**
   * Returns the vector indexes. A store may have an index with a shard path that was written before
   * shards had an effect: its number belongs to the name without the path, and it has no shards.
   */
  private static List<StoredVectorIndex> vectors(
      CollectionDefinition definition, ComputedProperties computed, ToIntFunction<String> numbers) {
    EmbeddingPolicy embeddings = EmbeddingPolicy.of(definition);
    Map<String, StoredVectorIndex> vectors = new LinkedHashMap<>();
    for (VectorIndex index : definition.indexingPolicy().vectorIndexes()) {
      IndexPath path = PathParser.property(index.path());
      VectorEmbedding embedding = Objects.requireNonNull(embeddings.get(path.text()));
      String name = vectorName(index, computed);
      int number = numbers.applyAsInt(name);
      IndexPath shardPath = shardPath(index);
      if (shardPath != null && number == 0) {
        name = vectorName(index);
        number = numbers.applyAsInt(name);
        shardPath = null;
      }
      vectors.putIfAbsent(name, new StoredVectorIndex(number, path, shardPath, index, embedding));
    }
    return List.copyOf(vectors.values());
  }

  private static UniqueIndex unique(UniqueKey key, int number) {
    return new UniqueIndex(number, key.paths().stream().map(PathParser::property).toList());
  }

  private static String compositeName(List<CompositePath> parts, ComputedProperties computed) {
    StringBuilder name = new StringBuilder("composite");
    parts.forEach(part -> name.append(' ').append(part.path()).append(' ').append(part.order()));
    Set<String> labels = new LinkedHashSet<>();
    parts.forEach(part -> addLabel(PathParser.composite(part.path()), labels));
    addQueries(labels, computed, name);
    return name.toString();
  }

  private static void addQueries(
      Set<String> labels, ComputedProperties computed, StringBuilder name) {
    for (String label : labels) {
      String query = computed.query(label);
      if (query != null) {
        name.append(" computed ").append(label).append(' ').append(query);
      }
    }
  }

  private static String tupleName(String path) {
    return "tuple " + path;
  }

  private static String vectorName(VectorIndex index) {
    return "vector " + index.type() + " " + PathParser.property(index.path()).text();
  }

  private static String vectorName(VectorIndex index, ComputedProperties computed) {
    StringBuilder name = new StringBuilder(vectorName(index));
    IndexPath shardPath = shardPath(index);
    if (shardPath != null) {
      name.append(" shard ").append(shardPath.text());
      Set<String> labels = new LinkedHashSet<>();
      addLabel(shardPath, labels);
      addQueries(labels, computed, name);
    }
    return name.toString();
  }

  private static @Nullable IndexPath shardPath(VectorIndex index) {
    List<String> paths = index.vectorIndexShardKey();
    return paths.isEmpty() ? null : PathParser.property(paths.get(0));
  }

  private static String uniqueName(UniqueKey key) {
    return "unique " + String.join(" ", key.paths());
  }
}
