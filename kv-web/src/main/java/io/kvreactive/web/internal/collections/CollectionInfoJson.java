package io.kvreactive.web.internal.collections;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.index.CollectionInfo;
import io.kvreactive.index.CollectionSizes;
import io.kvreactive.index.TransformationProgress;
import io.kvreactive.web.internal.rest.StrictJson;
import java.time.Duration;
import java.time.Instant;

/** Writes the JSON of collection descriptions. */
public final class CollectionInfoJson {
  private CollectionInfoJson() {}

  /** Returns the description of a collection. */
  public static ObjectNode of(CollectionInfo info) {
    ObjectNode json = StrictJson.object().put("name", info.name());
    json.setAll((ObjectNode) StrictJson.parse("definition", info.definition().toJson()));
    json.put("policyVersion", info.policyVersion());
    json.put("etag", info.etag().toString());
    json.put("indexTransformationProgress", info.transformation().percent());
    json.set("indexTransformation", jobs(info.transformation()));
    return json;
  }

  /** Returns the description of a collection with its sizes. */
  public static ObjectNode of(CollectionInfo info, CollectionSizes sizes) {
    ObjectNode json = of(info);
    ObjectNode counted = json.putObject("sizes");
    counted
        .put("items", sizes.items())
        .put("dataBytes", sizes.dataBytes())
        .put("indexBytes", sizes.indexBytes())
        .put("reclaimableBytes", sizes.reclaimableBytes());
    ArrayNode indexes = counted.putArray("indexes");
    for (CollectionSizes.IndexSize index : sizes.indexes()) {
      ObjectNode size =
          indexes
              .addObject()
              .put("index", index.index())
              .put("entries", index.entries())
              .put("bytes", index.bytes());
      if (index.definition() != null) {
        size.put("definition", index.definition());
      }
      if (index.ready() != null) {
        size.put("ready", index.ready())
            .put("vectorsInMemory", index.vectorsInMemory())
            .put("memoryBytes", index.memoryBytes());
      }
    }
    counted.put("furtherPaths", sizes.furtherPaths());
    return json;
  }

  /** Returns the progress of index builds. */
  public static ObjectNode of(TransformationProgress progress) {
    ObjectNode json =
        StrictJson.object()
            .put("done", progress.isComplete())
            .put("percent", progress.percent())
            .put("policyVersion", progress.policyVersion());
    json.set("jobs", jobs(progress));
    return json;
  }

  private static ArrayNode jobs(TransformationProgress progress) {
    ArrayNode jobs = StrictJson.object().putArray("jobs");
    for (TransformationProgress.Job job : progress.jobs()) {
      ObjectNode json =
          jobs.addObject()
              .put("index", job.index())
              .put("state", job.state().name())
              .put("done", job.done())
              .put("total", job.total())
              .put("startedAt", job.startedAt().toEpochMilli());
      if (job.definition() != null) {
        json.put("definition", job.definition());
      }
      Duration remaining = job.remaining(Instant.now());
      if (remaining != null) {
        json.put("etaSeconds", remaining.toSeconds());
      }
      if (job.error() != null) {
        json.put("error", job.error());
      }
    }
    return jobs;
  }
}
