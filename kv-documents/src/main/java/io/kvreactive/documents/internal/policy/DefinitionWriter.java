package io.kvreactive.documents.internal.policy;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.BoundingBox;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.CompositePath;
import io.kvreactive.documents.ComputedProperty;
import io.kvreactive.documents.IndexingPolicy;
import io.kvreactive.documents.SpatialIndex;
import io.kvreactive.documents.UniqueKey;
import io.kvreactive.documents.VectorEmbedding;
import io.kvreactive.documents.VectorIndex;
import java.util.List;

/** Writes collection definitions as JSON, in their normal form. */
public final class DefinitionWriter {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private DefinitionWriter() {}

  public static ObjectNode write(CollectionDefinition definition) {
    ObjectNode out = JSON.objectNode();
    if (!definition.partitionKey().isEmpty()) {
      texts(out.putObject("partitionKey"), "paths", definition.partitionKey());
    }
    out.set("indexingPolicy", write(definition.indexingPolicy()));
    if (definition.defaultTtl() != null) {
      out.put("defaultTtl", definition.defaultTtl());
    }
    if (!definition.uniqueKeys().isEmpty()) {
      ArrayNode keys = out.putObject("uniqueKeyPolicy").putArray("uniqueKeys");
      for (UniqueKey key : definition.uniqueKeys()) {
        texts(keys.addObject(), "paths", key.paths());
      }
    }
    out.putObject("geospatialConfig").put("type", definition.geospatialType().text());
    if (!definition.vectorEmbeddings().isEmpty()) {
      ArrayNode list = out.putObject("vectorEmbeddingPolicy").putArray("vectorEmbeddings");
      for (VectorEmbedding embedding : definition.vectorEmbeddings()) {
        list.addObject()
            .put("path", embedding.path())
            .put("dataType", embedding.dataType())
            .put("dimensions", embedding.dimensions())
            .put("distanceFunction", embedding.distanceFunction());
      }
    }
    if (!definition.computedProperties().isEmpty()) {
      ArrayNode list = out.putArray("computedProperties");
      for (ComputedProperty property : definition.computedProperties()) {
        list.addObject().put("name", property.name()).put("query", property.query());
      }
    }
    return out;
  }

  public static ObjectNode write(IndexingPolicy policy) {
    ObjectNode out = JSON.objectNode();
    out.put("indexingMode", policy.indexingMode().text());
    out.put("automatic", policy.automatic());
    paths(out.putArray("includedPaths"), policy.includedPaths());
    paths(out.putArray("excludedPaths"), policy.excludedPaths());
    ArrayNode composites = out.putArray("compositeIndexes");
    for (List<CompositePath> composite : policy.compositeIndexes()) {
      ArrayNode parts = composites.addArray();
      for (CompositePath part : composite) {
        parts.addObject().put("path", part.path()).put("order", part.order());
      }
    }
    ArrayNode spatial = out.putArray("spatialIndexes");
    policy.spatialIndexes().forEach(index -> write(spatial.addObject(), index));
    ArrayNode vectors = out.putArray("vectorIndexes");
    policy.vectorIndexes().forEach(index -> write(vectors.addObject(), index));
    paths(out.putArray("fullTextIndexes"), policy.fullTextIndexes());
    return out;
  }

  private static void write(ObjectNode out, SpatialIndex index) {
    out.put("path", index.path());
    texts(out, "types", index.types());
    BoundingBox box = index.boundingBox();
    if (box != null) {
      out.putObject("boundingBox")
          .put("xmin", box.xmin())
          .put("ymin", box.ymin())
          .put("xmax", box.xmax())
          .put("ymax", box.ymax());
    }
  }

  private static void write(ObjectNode out, VectorIndex index) {
    out.put("path", index.path()).put("type", index.type());
    if (index.quantizerType() != null) {
      out.put("quantizerType", index.quantizerType());
    }
    if (index.quantizationByteSize() != null) {
      out.put("quantizationByteSize", index.quantizationByteSize());
    }
    if (index.indexingSearchListSize() != null) {
      out.put("indexingSearchListSize", index.indexingSearchListSize());
    }
    if (!index.vectorIndexShardKey().isEmpty()) {
      texts(out, "vectorIndexShardKey", index.vectorIndexShardKey());
    }
  }

  private static void paths(ArrayNode out, List<String> paths) {
    paths.forEach(path -> out.addObject().put("path", path));
  }

  private static void texts(ObjectNode out, String name, List<String> texts) {
    ArrayNode array = out.putArray(name);
    texts.forEach(array::add);
  }
}
