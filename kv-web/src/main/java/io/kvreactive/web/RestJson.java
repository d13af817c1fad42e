package io.kvreactive.web;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvCommit;
import io.kvreactive.KvEntry;
import io.kvreactive.KvStats;
import io.kvreactive.KvValue;
import io.kvreactive.LoadProgress;
import io.kvreactive.index.BatchResult;
import io.kvreactive.index.ChangeFeedOptions;
import io.kvreactive.index.ChangePage;
import io.kvreactive.index.CollectionInfo;
import io.kvreactive.index.CollectionSizes;
import io.kvreactive.index.DeleteProgress;
import io.kvreactive.index.DocumentCollection;
import io.kvreactive.index.ItemChanges;
import io.kvreactive.index.PartitionKey;
import io.kvreactive.index.SqlQuery;
import io.kvreactive.index.TransactionalBatch;
import io.kvreactive.index.TransformationProgress;
import io.kvreactive.json.JsonSyntax;
import io.kvreactive.spi.Commit;
import io.kvreactive.web.internal.collections.BatchJson;
import io.kvreactive.web.internal.collections.CollectionInfoJson;
import io.kvreactive.web.internal.collections.DeleteProgressJson;
import io.kvreactive.web.internal.collections.ItemChangeJson;
import io.kvreactive.web.internal.collections.ItemLines;
import io.kvreactive.web.internal.collections.PartitionKeyJson;
import io.kvreactive.web.internal.collections.PatchJson;
import io.kvreactive.web.internal.collections.QueryJson;
import io.kvreactive.web.internal.feed.ChangeJson;
import io.kvreactive.web.internal.http.ByteBudget;
import io.kvreactive.web.internal.rest.AtomicJson;
import io.kvreactive.web.internal.rest.EntryJson;
import io.kvreactive.web.internal.rest.StatsJson;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongSupplier;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The JSON of the REST interface, for programs that read and write it without HTTP, such as the
 * {@code kv} command on a directory. Keys and values are in the notation of {@link
 * io.kvreactive.json.KvJson}. Thread-safe.
 */
public final class RestJson {
  private static final JsonMapper MAPPER =
      JsonSyntax.mapper(StreamReadConstraints.builder().maxStringLength(Integer.MAX_VALUE).build());

  private RestJson() {}

  /**
   * Parses one JSON value as the server does: a name that occurs twice in an object, and text after
   * the value, are errors. Strings may have any length. Returns a missing node for blank text.
   *
   * @param failure creates the exception from a description such as {@code line 1, column 14:
   *     unexpected end}
   */
  public static JsonNode parse(String text, Function<String, RuntimeException> failure) {
    try {
      return MAPPER.readTree(text);
    } catch (JsonProcessingException e) {
      throw failure.apply(JsonSyntax.describe(e));
    }
  }

  /** Returns an entry, present or absent. The value is omitted if it was not read. */
  public static ObjectNode entry(KvEntry<KvValue> entry) {
    return EntryJson.of(entry);
  }

  /** Returns a commit or a bookmark of a change feed. */
  public static ObjectNode commit(KvCommit<KvValue> commit) {
    return ChangeJson.of(commit);
  }

  /** Returns the statistics of a store. */
  public static ObjectNode stats(KvStats stats) {
    return StatsJson.of(stats);
  }

  /**
   * Parses the body of {@code POST /api/v1/atomic} as a commit without an id.
   *
   * @param place the name of the body, for messages
   * @param clock the clock of the store, in milliseconds since 1970
   * @throws WebException BAD_REQUEST
   * @throws io.kvreactive.KvException for invalid keys, values and ranges
   */
  public static Commit parseCommit(JsonNode body, String place, LongSupplier clock) {
    return AtomicJson.read(body, place, clock);
  }

  /** Returns the description of a collection. */
  public static ObjectNode collection(CollectionInfo info) {
    return CollectionInfoJson.of(info);
  }

  /** Returns the description of a collection with its sizes. */
  public static ObjectNode collection(CollectionInfo info, CollectionSizes sizes) {
    return CollectionInfoJson.of(info, sizes);
  }

  /** Returns the progress of index builds. */
  public static ObjectNode transformation(TransformationProgress progress) {
    return CollectionInfoJson.of(progress);
  }

  /** Returns a page of the changes of a collection's items. */
  public static ObjectNode itemChanges(ChangePage<ObjectNode> page) {
    return ItemChangeJson.of(page, false);
  }

  /** Returns the changes of a commit to a collection's items; none for a bookmark. */
  public static List<ObjectNode> itemChanges(ItemChanges<ObjectNode> commit) {
    return commit.changes().stream()
        .map(change -> ItemChangeJson.of(commit.versionstamp(), change))
        .toList();
  }

  /**
   * Parses the mode of a collection's change feed: {@code latest} or {@code all}.
   *
   * @throws WebException BAD_REQUEST
   */
  public static ChangeFeedOptions.Mode parseChangeMode(String mode) {
    return ItemChangeJson.mode(mode);
  }

  /** Returns the progress of deletes, about once a second and at the end. */
  public static Flux<ObjectNode> deleted(Flux<DeleteProgress> deletes) {
    return DeleteProgressJson.lines(deletes);
  }

  /**
   * Parses a partition key: a value, or an array of values.
   *
   * @throws WebException BAD_REQUEST
   */
  public static PartitionKey parsePartitionKey(JsonNode json) {
    return PartitionKeyJson.key(json);
  }

  /**
   * Parses the body of {@code POST /api/v1/collections/NAME/batch}.
   *
   * @throws WebException BAD_REQUEST
   */
  public static TransactionalBatch parseBatch(JsonNode body) {
    return BatchJson.of(body);
  }

  /**
   * Patches an item as {@code PATCH /api/v1/collections/NAME/items/ID} does.
   *
   * @throws WebException BAD_REQUEST
   */
  public static Mono<ObjectNode> patch(
      DocumentCollection<ObjectNode> items, String id, PartitionKey partition, JsonNode body) {
    return PatchJson.apply(items, id, partition, body);
  }

  /** Returns the answer to {@code POST /api/v1/collections/NAME/batch}. */
  public static ObjectNode batch(BatchResult<ObjectNode> result) {
    return BatchJson.json(result);
  }

  /**
   * Parses the body of {@code POST /api/v1/collections/NAME/query}.
   *
   * @throws WebException BAD_REQUEST
   */
  public static SqlQuery parseQuery(JsonNode body) {
    return QueryJson.of(body).query();
  }

  /**
   * Loads items from lines of JSON, without a limit on memory. Blank lines and a leading byte order
   * mark are skipped. An invalid line ends the load after the lines before it were stored. Signals
   * as {@link DocumentCollection#load} does, for all lines; the messages of errors name the line.
   */
  public static Flux<LoadProgress> load(
      DocumentCollection<ObjectNode> collection, Flux<String> lines) {
    ByteBudget unlimited = new ByteBudget("lines", Long.MAX_VALUE);
    return ItemLines.load(collection, lines, unlimited.share(), unlimited.share());
  }
}
