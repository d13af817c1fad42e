package io.kvreactive.spatial;

import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.SpatialIndex;
import io.kvreactive.documents.spi.IndexExtension;
import io.kvreactive.documents.spi.ScalarFunction;
import io.kvreactive.documents.spi.TermIndex;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The extension with the functions {@code ST_…} and the {@code spatialIndexes} of indexing
 * policies.
 */
public final class SpatialExtension implements IndexExtension {
  private static final List<ScalarFunction> FUNCTIONS = SpatialFunctions.all();

  /** Creates the extension; called by {@link java.util.ServiceLoader}. */
  public SpatialExtension() {}

  @Override
  public boolean supports(String policyMember) {
    return policyMember.equals("spatialIndexes");
  }

  @Override
  public List<ScalarFunction> functions() {
    return FUNCTIONS;
  }

  /** Returns the spatial indexes of a definition, without duplicates. */
  @Override
  public List<TermIndex> indexes(CollectionDefinition definition) {
    Map<String, TermIndex> byName = new LinkedHashMap<>();
    for (SpatialIndex declared : definition.indexingPolicy().spatialIndexes()) {
      TermIndex index = SpatialTermIndex.of(declared, definition.geospatialType());
      byName.putIfAbsent(index.name(), index);
    }
    return List.copyOf(byName.values());
  }
}
