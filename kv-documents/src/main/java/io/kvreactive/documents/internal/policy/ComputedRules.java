package io.kvreactive.documents.internal.policy;

import static io.kvreactive.documents.internal.policy.PolicyRules.checkCount;
import static io.kvreactive.documents.internal.policy.PolicyRules.invalid;

import io.kvreactive.documents.ComputedProperty;
import io.kvreactive.documents.IndexingPolicy;
import io.kvreactive.documents.SpatialIndex;
import io.kvreactive.documents.UniqueKey;
import io.kvreactive.documents.VectorIndex;
import io.kvreactive.documents.internal.eval.ComputedProperties;
import io.kvreactive.documents.internal.path.IndexPath;
import io.kvreactive.documents.internal.path.MemberStep;
import io.kvreactive.documents.internal.path.PathParser;
import io.kvreactive.documents.internal.path.TuplePath;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Validates the computed properties of a definition. */
public final class ComputedRules {
  public static final int MAX_PROPERTIES = 20;
  public static final int MAX_NAME = 255;
  public static final int MAX_QUERY = 8_192;

  private static final Set<String> RESERVED =
      Set.of("id", "ttl", "_ts", "_etag", "_rid", "_self", "_attachments");

  private ComputedRules() {}

  /** Checks computed properties and their use as stored members by other parts of a definition. */
  public static void check(
      List<ComputedProperty> properties,
      IndexingPolicy policy,
      List<String> partitionKey,
      List<UniqueKey> uniqueKeys) {
    if (properties.isEmpty()) {
      return;
    }
    checkCount("computedProperties", properties, "properties", MAX_PROPERTIES);
    Set<String> names = new HashSet<>();
    for (ComputedProperty property : properties) {
      checkName(property.name());
      if (property.query().length() > MAX_QUERY) {
        throw refused(
            property.name(),
            "has a query of "
                + property.query().length()
                + " characters (expected: at most "
                + MAX_QUERY
                + ")");
      }
      if (!names.add(property.name())) {
        throw refused(property.name(), "is defined twice (expected: once)");
      }
    }
    partitionKey.forEach(path -> refuse(names, PathParser.property(path), "partitionKey"));
    uniqueKeys.forEach(
        key ->
            key.paths()
                .forEach(path -> refuse(names, PathParser.property(path), "uniqueKeyPolicy")));
    for (String path : policy.includedPaths()) {
      if (PathParser.included(path) instanceof TuplePath tuple) {
        refuse(names, tuple.array(), "a tuple index");
      }
    }
    for (SpatialIndex index : policy.spatialIndexes()) {
      refuse(names, PathParser.rule(index.path()).path(), "spatialIndexes");
    }
    for (VectorIndex index : policy.vectorIndexes()) {
      refuse(names, PathParser.property(index.path()), "vectorIndexes");
    }
    for (String path : policy.fullTextIndexes()) {
      refuse(names, PathParser.property(path), "fullTextIndexes");
    }
    var unused = ComputedProperties.of(properties);
  }

  private static void checkName(String name) {
    if (name.isEmpty() || name.length() > MAX_NAME) {
      throw refused(
          name, "has a name of " + name.length() + " characters (expected: 1 to " + MAX_NAME + ")");
    }
    if (RESERVED.contains(name)) {
      throw refused(name, "has a reserved name (expected: no name of the system)");
    }
  }

  private static void refuse(Set<String> names, IndexPath path, String where) {
    if (path.size() > 0
        && path.steps().get(0) instanceof MemberStep member
        && names.contains(member.name())) {
      throw refused(
          member.name(),
          "is used in " + where + " (expected: in includedPaths or compositeIndexes only)");
    }
  }

  private static RuntimeException refused(String name, String problem) {
    return invalid("computed property \"" + AbbreviatedValue.text(name) + "\" " + problem);
  }
}
