package io.kvreactive.documents.internal.policy;

import static io.kvreactive.documents.internal.policy.PolicyRules.checkCount;
import static io.kvreactive.documents.internal.policy.PolicyRules.invalid;

import io.kvreactive.documents.GeospatialType;
import io.kvreactive.documents.IndexingMode;
import io.kvreactive.documents.IndexingPolicy;
import io.kvreactive.documents.UniqueKey;
import io.kvreactive.documents.VectorEmbedding;
import io.kvreactive.documents.internal.path.PathParser;
import io.kvreactive.documents.spi.IndexExtensions;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Validates and normalizes the parts of a definition outside of the indexing policy. */
public final class DefinitionRules {
  public static final int MAX_PARTITION_PATHS = 3;
  public static final int MAX_UNIQUE_KEYS = 10;
  public static final int MAX_UNIQUE_PATHS = 16;

  private DefinitionRules() {}

  public static void check(
      IndexingPolicy policy,
      @Nullable Integer defaultTtl,
      GeospatialType geospatialType,
      List<VectorEmbedding> embeddings) {
    if (policy.indexingMode() == IndexingMode.NONE && defaultTtl != null) {
      throw invalid(
          "Indexing mode value cannot be 'none' when 'defaultTtl' is specified in the collection");
    }
    if (defaultTtl != null && defaultTtl < 1 && defaultTtl != -1) {
      throw invalid("defaultTtl must be -1 or 1 to 2147483647, but is " + defaultTtl + ".");
    }
    SpatialRules.check(policy.spatialIndexes(), geospatialType);
    VectorRules.check(policy.vectorIndexes(), embeddings);
    policy.fullTextIndexes().forEach(PathParser::property);
    refuse("spatialIndexes", policy.spatialIndexes());
    VectorRules.checkSupported(policy.vectorIndexes());
    refuse("fullTextIndexes", policy.fullTextIndexes());
  }

  private static void refuse(String member, List<?> definitions) {
    if (!definitions.isEmpty() && !IndexExtensions.support(member)) {
      throw invalid(member + " is not supported yet: it must be empty.");
    }
  }

  public static List<String> partitionKey(List<String> paths) {
    checkCount("partitionKey", paths, "paths", MAX_PARTITION_PATHS);
    return distinct("partitionKey", paths);
  }

  public static List<UniqueKey> uniqueKeys(List<UniqueKey> keys) {
    checkCount("uniqueKeyPolicy", keys, "unique keys", MAX_UNIQUE_KEYS);
    List<UniqueKey> canonical = new ArrayList<>(keys.size());
    Set<Set<String>> seen = new LinkedHashSet<>();
    for (UniqueKey key : keys) {
      int size = key.paths().size();
      if (size < 1 || size > MAX_UNIQUE_PATHS) {
        throw invalid(
            "A unique key has 1 to " + MAX_UNIQUE_PATHS + " paths, but one has " + size + ".");
      }
      UniqueKey one = new UniqueKey(distinct("A unique key", key.paths()));
      if (!seen.add(Set.copyOf(one.paths()))) {
        throw invalid("uniqueKeyPolicy has the unique key " + one.paths() + " twice.");
      }
      canonical.add(one);
    }
    return List.copyOf(canonical);
  }

  private static List<String> distinct(String where, List<String> paths) {
    Set<String> canonical = new LinkedHashSet<>();
    for (String path : paths) {
      if (!canonical.add(PathParser.property(path).text())) {
        throw invalid(where + " has the path '" + AbbreviatedValue.text(path) + "' twice.");
      }
    }
    return List.copyOf(canonical);
  }
}
