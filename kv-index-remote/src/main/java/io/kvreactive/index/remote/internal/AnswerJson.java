package io.kvreactive.index.remote.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.Versionstamp;
import io.kvreactive.http.client.HttpAnswer;
import io.kvreactive.index.BatchResult;
import io.kvreactive.index.ChangePage;
import io.kvreactive.index.CollectionDefinition;
import io.kvreactive.index.CollectionInfo;
import io.kvreactive.index.CollectionSizes;
import io.kvreactive.index.DeleteProgress;
import io.kvreactive.index.Explanation;
import io.kvreactive.index.IndexState;
import io.kvreactive.index.Item;
import io.kvreactive.index.ItemChanges;
import io.kvreactive.index.PartitionKey;
import io.kvreactive.index.QueryMetrics;
import io.kvreactive.index.QueryPage;
import io.kvreactive.index.TransformationProgress;
import io.kvreactive.index.spi.DocumentMapper;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** Reads the JSON of answers and messages. */
final class AnswerJson {
  private static final double NANOS_PER_MILLI = 1e6;

  private final DocumentMapper mapper;

  AnswerJson(DocumentMapper mapper) {
    this.mapper = mapper;
  }

  JsonNode json(HttpAnswer answer) {
    return mapper.parse(answer.body().getBytes());
  }

  static Versionstamp stamp(JsonNode json, String name) {
    return Versionstamp.parse(json.path(name).asText());
  }

  <T> Item<T> item(JsonNode json, Class<T> type) {
    return new Item<>(
        mapper.as(json, type),
        json.path("id").asText(),
        stamp(json, "_etag"),
        Instant.ofEpochSecond(json.path("_ts").asLong()));
  }

  <T> BatchResult<T> batch(JsonNode json, Class<T> type) {
    List<BatchResult.Result<T>> results = new ArrayList<>();
    for (JsonNode each : json.path("results")) {
      JsonNode item = each.path("item");
      results.add(
          new BatchResult.Result<>(
              outcome(each.path("status").asInt()), item.isObject() ? item(item, type) : null));
    }
    return new BatchResult<>(stamp(json, "versionstamp"), results);
  }

  private static BatchResult.Outcome outcome(int status) {
    return switch (status) {
      case 201 -> BatchResult.Outcome.CREATED;
      case 204 -> BatchResult.Outcome.DELETED;
      default -> BatchResult.Outcome.REPLACED;
    };
  }

  <R> QueryPage<R> page(JsonNode json, Class<R> type) {
    List<R> rows = new ArrayList<>(json.path("items").size());
    json.path("items").forEach(row -> rows.add(mapper.as(row, type)));
    JsonNode metrics = json.path("metrics");
    return new QueryPage<>(
        rows,
        json.hasNonNull("continuation") ? json.get("continuation").asText() : null,
        stamp(json, "versionstamp"),
        new QueryMetrics(
            metrics.path("entriesRead").asLong(),
            metrics.path("retrievedItems").asLong(),
            metrics.path("retrievedBytes").asLong(),
            metrics.path("candidates").asLong(),
            metrics.path("rankedVectors").asLong(),
            metrics.path("outputItems").asLong(),
            millis(metrics.path("compileMs")),
            millis(metrics.path("totalMs"))));
  }

  private static Duration millis(JsonNode number) {
    return Duration.ofNanos(Math.round(number.asDouble() * NANOS_PER_MILLI));
  }

  static Explanation explanation(JsonNode json) {
    return new Explanation((ObjectNode) json.path("plan"), (ObjectNode) json.path("indexMetrics"));
  }

  CollectionInfo info(JsonNode json) {
    int version = json.path("policyVersion").asInt();
    return new CollectionInfo(
        json.path("name").asText(),
        CollectionDefinition.parse(mapper.text(json)),
        version,
        stamp(json, "etag"),
        new TransformationProgress(
            version,
            json.path("indexTransformationProgress").asInt(),
            jobs(json.path("indexTransformation"))));
  }

  static TransformationProgress progress(JsonNode json) {
    return new TransformationProgress(
        json.path("policyVersion").asInt(), json.path("percent").asInt(), jobs(json.path("jobs")));
  }

  private static List<TransformationProgress.Job> jobs(JsonNode json) {
    return StreamSupport.stream(json.spliterator(), false)
        .map(
            job ->
                new TransformationProgress.Job(
                    job.path("index").asText(),
                    IndexState.valueOf(job.path("state").asText()),
                    job.path("done").asLong(),
                    job.path("total").asLong(),
                    Instant.ofEpochMilli(job.path("startedAt").asLong()),
                    job.path("error").textValue(),
                    job.path("definition").textValue()))
        .toList();
  }

  static CollectionSizes sizes(JsonNode json) {
    List<CollectionSizes.IndexSize> indexes = new ArrayList<>();
    for (JsonNode index : json.path("indexes")) {
      indexes.add(
          new CollectionSizes.IndexSize(
              index.path("index").asText(),
              index.path("entries").asLong(),
              index.path("bytes").asLong(),
              index.path("memoryBytes").asLong(),
              index.path("vectorsInMemory").asLong(),
              index.has("ready") ? index.path("ready").asBoolean() : null,
              index.path("definition").textValue()));
    }
    return new CollectionSizes(
        json.path("items").asLong(),
        json.path("dataBytes").asLong(),
        json.path("indexBytes").asLong(),
        json.path("reclaimableBytes").asLong(),
        indexes,
        json.path("furtherPaths").asLong());
  }

  static DeleteProgress deleted(JsonNode json) {
    return new DeleteProgress(
        json.path("deleted").asLong(),
        json.path("changed").asLong(),
        json.has("versionstamp") ? stamp(json, "versionstamp") : null,
        Duration.ofMillis(json.path("elapsedMs").asLong()));
  }

  <T> ChangePage<T> changePage(JsonNode json, Class<T> type) {
    Map<Versionstamp, List<JsonNode>> commits = new LinkedHashMap<>();
    for (JsonNode change : json.path("changes")) {
      commits
          .computeIfAbsent(stamp(change, "versionstamp"), stamp -> new ArrayList<>())
          .add(change);
    }
    List<ItemChanges<T>> all = new ArrayList<>();
    commits.forEach(
        (stamp, changes) ->
            all.add(
                new ItemChanges<>(
                    stamp,
                    Instant.ofEpochMilli(changes.get(0).path("millis").asLong()),
                    changes.stream().map(change -> change(change, type)).toList())));
    return new ChangePage<>(all, stamp(json, "continuation"), json.path("hasMore").asBoolean());
  }

  /** Reads a message with the changes of a commit. */
  <T> ItemChanges<T> commit(JsonNode json, Class<T> type) {
    List<ItemChanges.Change<T>> changes = new ArrayList<>();
    json.path("changes").forEach(change -> changes.add(change(change, type)));
    return new ItemChanges<>(
        stamp(json, "versionstamp"),
        json.has("millis")
            ? Instant.ofEpochMilli(json.get("millis").asLong())
            : Instant.now(), // of a bookmark
        changes);
  }

  private <T> ItemChanges.Change<T> change(JsonNode json, Class<T> type) {
    JsonNode old = json.path("previous");
    Item<T> previous = old.isObject() ? item(old, type) : null;
    return json.path("type").asText().equals("upsert")
        ? new ItemChanges.Change.Upsert<>(item(json.path("item"), type), previous)
        : new ItemChanges.Change.Delete<>(
            json.path("id").asText(),
            key(json),
            previous,
            json.path("timeToLiveExpired").asBoolean());
  }

  /** Reads the partition key of a change or a row; none in a collection without one. */
  static PartitionKey key(JsonNode json) {
    List<@Nullable Object> values = new ArrayList<>();
    for (JsonNode value : json.path("partitionKey")) {
      values.add(
          value.isTextual()
              ? value.textValue()
              : value.isNumber()
                  ? (Object) value.numberValue()
                  : value.isBoolean() ? (Object) value.booleanValue() : null);
    }
    return new PartitionKey(values);
  }
}
