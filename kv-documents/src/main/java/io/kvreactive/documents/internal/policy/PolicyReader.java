package io.kvreactive.documents.internal.policy;

import static io.kvreactive.documents.internal.policy.PolicyRules.invalid;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.BoundingBox;
import io.kvreactive.documents.CompositePath;
import io.kvreactive.documents.IndexingMode;
import io.kvreactive.documents.IndexingPolicy;
import io.kvreactive.documents.SpatialIndex;
import io.kvreactive.documents.VectorIndex;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads an indexing policy from JSON. */
final class PolicyReader {
  static final Set<String> MEMBERS =
      Set.of(
          "indexingMode",
          "automatic",
          "includedPaths",
          "excludedPaths",
          "compositeIndexes",
          "spatialIndexes",
          "vectorIndexes",
          "fullTextIndexes");

  private static final Set<String> VECTOR_MEMBERS =
      Set.of(
          "path",
          "type",
          "quantizerType",
          "quantizationByteSize",
          "indexingSearchListSize",
          "vectorIndexShardKey");

  private static final Set<String> ALWAYS_INDEXED = Set.of("/id/?", "/id/*", "/_ts/?", "/_ts/*");

  private static final String ETAG = "The %s has no effect: no index serves queries for _etag.";

  private PolicyReader() {}

  static IndexingPolicy read(JsonNode json, Consumer<String> dropped) {
    DefinitionMembers policy = DefinitionMembers.of(json, "indexingPolicy", MEMBERS);
    IndexingMode mode = mode(policy.textOrNull("indexingMode"));
    List<String> notes = new ArrayList<>();
    List<SpatialIndex> spatial =
        new ArrayList<>(policy.list("spatialIndexes", PolicyReader::spatial));
    List<String> included =
        policy.list("includedPaths", node -> includedPath(node, spatial, notes::add));
    List<String> excluded = policy.list("excludedPaths", PolicyReader::path);
    List<List<CompositePath>> composites = policy.list("compositeIndexes", PolicyReader::composite);
    List<VectorIndex> vectors = policy.list("vectorIndexes", PolicyReader::vector);
    List<String> texts = policy.list("fullTextIndexes", PolicyReader::path);
    if (mode != IndexingMode.NONE && included.isEmpty() && excluded.isEmpty()) {
      included = IndexingPolicy.DEFAULT.includedPaths();
      notes.add(
          "The policy has neither included nor excluded paths and is completed with the included"
              + " path '/*'.");
    }
    IndexingPolicy read =
        new IndexingPolicy(
            mode,
            policy.flag("automatic", true),
            included,
            excluded,
            composites,
            spatial,
            vectors,
            texts);
    if (mode == IndexingMode.NONE) {
      notes.clear();
      if (!Stream.of(included, excluded, composites, spatial, vectors, texts)
          .allMatch(List::isEmpty)) {
        notes.add("With the indexing mode none, paths and indexes mean nothing.");
      }
    } else if (read.compositeIndexes().size() < composites.size()) {
      PolicyRules.composites(composites, notes::add);
    }
    if (mode != IndexingMode.NONE) {
      withoutEffect(read, notes::add);
    }
    notes.forEach(dropped);
    return read;
  }

  /** Describes the paths of a policy that have no effect. */
  private static void withoutEffect(IndexingPolicy policy, Consumer<String> dropped) {
    for (String path : policy.includedPaths()) {
      if (path.equals("/_etag/?") || path.equals("/_etag/*")) {
        dropped.accept(ETAG.formatted("included path '" + path + "'"));
      }
    }
    for (List<CompositePath> index : policy.compositeIndexes()) {
      if (index.stream().anyMatch(part -> part.path().equals("/_etag"))) {
        dropped.accept(ETAG.formatted("composite index with the path '/_etag'"));
      }
    }
    for (String path : policy.excludedPaths()) {
      if (ALWAYS_INDEXED.contains(path)) {
        dropped.accept(
            "The excluded path '%s' has no effect: id and _ts are always indexed.".formatted(path));
      }
    }
  }

  private static IndexingMode mode(@Nullable String text) {
    if (text == null) {
      return IndexingMode.CONSISTENT;
    }
    for (IndexingMode mode : IndexingMode.values()) {
      if (mode.text().equalsIgnoreCase(text)) {
        return mode;
      }
    }
    throw invalid(
        "indexingMode must be consistent, lazy or none, but is '"
            + AbbreviatedValue.text(text)
            + "'.");
  }

  private static String path(JsonNode node) {
    return DefinitionMembers.of(node, "A path", Set.of("path")).text("path");
  }

  /**
   * Reads an included path. Old policies list kinds of indexes for a path, of which only spatial
   * ones still have an effect.
   */
  private static String includedPath(
      JsonNode node, List<SpatialIndex> spatial, Consumer<String> dropped) {
    DefinitionMembers entry =
        DefinitionMembers.of(node, "An included path", Set.of("path", "indexes"));
    String path = entry.text("path");
    List<String> types = new ArrayList<>();
    List<String> others = new ArrayList<>();
    entry.list(
        "indexes",
        old -> {
          DefinitionMembers index =
              DefinitionMembers.of(old, "indexes", Set.of("kind", "dataType", "precision"));
          String kind = Objects.requireNonNullElse(index.textOrNull("kind"), "?");
          if ("Spatial".equalsIgnoreCase(kind)) {
            types.add(index.text("dataType"));
          } else {
            others.add(AbbreviatedValue.text(kind));
          }
          return index;
        });
    if (!types.isEmpty()) {
      spatial.add(new SpatialIndex(path, types, null));
    }
    if (!others.isEmpty()) {
      dropped.accept(
          "The indexes %s of the path '%s' mean nothing any more: the path is indexed as all are."
              .formatted(others, AbbreviatedValue.text(path)));
    }
    return path;
  }

  private static List<CompositePath> composite(JsonNode node) {
    return DefinitionMembers.elements(
        node,
        "An element of compositeIndexes",
        part -> {
          DefinitionMembers one =
              DefinitionMembers.of(part, "A composite path", Set.of("path", "order"));
          String order = one.textOrNull("order");
          return new CompositePath(
              one.text("path"), order == null ? CompositePath.ASCENDING : order);
        });
  }

  private static SpatialIndex spatial(JsonNode node) {
    DefinitionMembers index =
        DefinitionMembers.of(node, "A spatial index", Set.of("path", "types", "boundingBox"));
    return new SpatialIndex(index.text("path"), index.texts("types"), box(index));
  }

  private static @Nullable BoundingBox box(DefinitionMembers index) {
    JsonNode node = index.get("boundingBox");
    if (node == null) {
      return null;
    }
    DefinitionMembers box =
        DefinitionMembers.of(node, "boundingBox", Set.of("xmin", "ymin", "xmax", "ymax"));
    return new BoundingBox(
        box.number("xmin"), box.number("ymin"), box.number("xmax"), box.number("ymax"));
  }

  private static VectorIndex vector(JsonNode node) {
    DefinitionMembers index = DefinitionMembers.of(node, "A vector index", VECTOR_MEMBERS);
    return new VectorIndex(
        index.text("path"),
        index.text("type"),
        index.textOrNull("quantizerType"),
        index.integerOrNull("quantizationByteSize"),
        index.integerOrNull("indexingSearchListSize"),
        index.texts("vectorIndexShardKey"));
  }
}
