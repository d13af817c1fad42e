package io.kvreactive.server.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvException;
import io.kvreactive.Versionstamp;
import io.kvreactive.index.ChangeFeedOptions;
import io.kvreactive.index.CollectionDefinition;
import io.kvreactive.index.CollectionInfo;
import io.kvreactive.index.DocumentCollection;
import io.kvreactive.index.DocumentStore;
import io.kvreactive.index.IndexErrorCode;
import io.kvreactive.index.IndexException;
import io.kvreactive.index.PartitionKey;
import io.kvreactive.index.QueryException;
import io.kvreactive.index.TransformationProgress;
import io.kvreactive.web.RestJson;
import io.kvreactive.web.WebException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The collections of a store that is open in this process. */
final class LocalCollections implements TargetCollections {
  private static final int AHEAD = 64;
  private static final String NOW = "now";

  private final DocumentStore index;

  LocalCollections(DocumentStore index) {
    this.index = index;
  }

  private static <T> T tried(Supplier<T> work) {
    try {
      return work.get();
    } catch (QueryException e) {
      throw CliException.of(e.code().name(), CliException.at(e.detail(), e.start()));
    } catch (KvException | IndexException | WebException e) {
      throw CliException.of(e);
    }
  }

  private static <T> T value(Supplier<Mono<T>> work, IndexErrorCode otherwise, String what) {
    return tried(
        () ->
            work.get()
                .blockOptional()
                .orElseThrow(() -> new IndexException(otherwise, what + " not found")));
  }

  private static <T> void each(Supplier<Flux<T>> work, Consumer<T> consumer) {
    tried(
        () -> {
          try (Stream<T> all = work.get().toStream(AHEAD)) {
            all.forEach(consumer);
          }
          return true;
        });
  }

  private DocumentCollection<ObjectNode> collection(String name) {
    return index.collection(name, ObjectNode.class);
  }

  private static PartitionKey key(@Nullable JsonNode partition) {
    return partition == null ? PartitionKey.NONE : RestJson.parsePartitionKey(partition);
  }

  @Override
  public void list(Consumer<ObjectNode> collections) {
    each(() -> index.collections().map(RestJson::collection), collections);
  }

  @Override
  public ObjectNode describe(String name, boolean sizes) {
    return value(
        () ->
            index
                .describe(name)
                .flatMap(
                    info ->
                        sizes
                            ? collection(name)
                                .sizes()
                                .map(counted -> RestJson.collection(info, counted))
                            : Mono.just(RestJson.collection(info))),
        IndexErrorCode.COLLECTION_NOT_FOUND,
        "collection \"" + name + "\"");
  }

  private static String none(String name) {
    return "collection \"" + name + "\" does not exist";
  }

  @Override
  public ObjectNode define(String name, ObjectNode json) {
    return tried(
        () -> {
          List<String> warnings = new ArrayList<>();
          CollectionDefinition definition = definition(json, warnings);
          Mono<CollectionInfo> defined =
              index
                  .create(name, definition)
                  .onErrorResume(
                      IndexException.class,
                      e ->
                          e.code() == IndexErrorCode.COLLECTION_EXISTS
                              ? index
                                  .describe(name)
                                  .flatMapMany(info -> replace(name, json, info.definition()))
                                  .then(index.describe(name))
                              : Mono.error(e));
          return described(defined, warnings);
        });
  }

  private Flux<TransformationProgress> replace(
      String name, ObjectNode json, CollectionDefinition current) {
    return collection(name)
        .replaceDefinition(CollectionDefinition.parse(json.toString(), current, ignored -> {}));
  }

  private static CollectionDefinition definition(ObjectNode json, List<String> warnings) {
    return CollectionDefinition.parse(json.toString(), warnings::add);
  }

  private static ObjectNode described(Mono<CollectionInfo> info, List<String> warnings) {
    ObjectNode json =
        RestJson.collection(Objects.requireNonNull(info.block(), "a defined collection"));
    if (!warnings.isEmpty()) {
      warnings.forEach(json.putArray("warnings")::add);
    }
    return json;
  }

  @Override
  public ObjectNode create(String name, ObjectNode json) {
    return tried(
        () -> {
          List<String> warnings = new ArrayList<>();
          return described(index.create(name, definition(json, warnings)), warnings);
        });
  }

  @Override
  public void drop(String name) {
    boolean dropped = tried(() -> Boolean.TRUE.equals(index.drop(name).block()));
    if (!dropped) {
      throw CliException.of(IndexErrorCode.COLLECTION_NOT_FOUND.name(), none(name));
    }
  }

  @Override
  public void transformation(String name, Consumer<ObjectNode> progress) {
    each(() -> collection(name).transformation().map(RestJson::transformation), progress);
  }

  @Override
  public ObjectNode item(String name, String id, @Nullable JsonNode partition) {
    return value(
        () -> collection(name).read(id, key(partition)).map(item -> item.value()),
        IndexErrorCode.ITEM_NOT_FOUND,
        "item \"" + id + "\"");
  }

  @Override
  public ObjectNode put(String name, ObjectNode item) {
    return value(
        () -> collection(name).upsert(item).map(stored -> stored.value()),
        IndexErrorCode.ITEM_NOT_FOUND,
        "item");
  }

  @Override
  public void load(String name, InputStream in, Consumer<ObjectNode> progress) {
    Flux<String> text = LineBatches.texts(in, LineBatches.MAX_ITEM_BYTES);
    each(
        () ->
            index
                .describe(name)
                .switchIfEmpty(
                    Mono.error(
                        () -> new IndexException(IndexErrorCode.COLLECTION_NOT_FOUND, none(name))))
                .flatMapMany(there -> RestJson.load(collection(name), text))
                .map(JsonViews::loaded)
                .onBackpressureLatest(),
        progress);
  }

  @Override
  public ObjectNode delete(String name, String id, @Nullable JsonNode partition) {
    return value(
        () ->
            collection(name)
                .delete(id, key(partition), io.kvreactive.index.WriteOptions.DEFAULT)
                .map(stamp -> CliJson.object().put("versionstamp", stamp.toString())),
        IndexErrorCode.ITEM_NOT_FOUND,
        "item \"" + id + "\"");
  }

  private static ChangeFeedOptions options(Changes selected, @Nullable Versionstamp otherwise) {
    String since = selected.since();
    return new ChangeFeedOptions(
        RestJson.parseChangeMode(selected.mode()),
        since == null ? otherwise : since.equals(NOW) ? null : Versionstamp.parse(since),
        selected.partition() == null ? null : key(selected.partition()));
  }

  @Override
  public ObjectNode changes(String name, Changes selected, int limit) {
    return value(
        () ->
            collection(name)
                .changePage(options(selected, Versionstamp.ZERO), limit)
                .map(RestJson::itemChanges),
        IndexErrorCode.COLLECTION_NOT_FOUND,
        "collection \"" + name + "\"");
  }

  @Override
  public void followChanges(String name, Changes selected, Consumer<ObjectNode> changes) {
    each(
        () ->
            Flux.defer(() -> collection(name).changeFeed(options(selected, null)))
                .concatMapIterable(RestJson::itemChanges, 1),
        changes);
  }

  @Override
  public void deleteMany(String name, ObjectNode query, Consumer<ObjectNode> progress) {
    each(() -> RestJson.deleted(collection(name).deleteMany(RestJson.parseQuery(query))), progress);
  }

  @Override
  public ObjectNode patch(String name, String id, @Nullable JsonNode partition, ObjectNode patch) {
    return value(
        () -> RestJson.patch(collection(name), id, key(partition), patch),
        IndexErrorCode.ITEM_NOT_FOUND,
        "item \"" + id + "\"");
  }

  @Override
  public ObjectNode batch(String name, ObjectNode batch) {
    return value(
        () -> collection(name).execute(RestJson.parseBatch(batch)).map(RestJson::batch),
        IndexErrorCode.ITEM_NOT_FOUND,
        "result");
  }

  @Override
  public ObjectNode deletePartition(String name, JsonNode partition) {
    return value(
        () ->
            collection(name)
                .deleteAll(key(partition))
                .map(deleted -> CliJson.object().put("deleted", deleted)),
        IndexErrorCode.ITEM_NOT_FOUND,
        "partition");
  }

  @Override
  public void query(String name, ObjectNode query, Consumer<JsonNode> rows) {
    each(() -> collection(name).query(RestJson.parseQuery(query), JsonNode.class), rows);
  }

  @Override
  public ObjectNode explain(String name, ObjectNode query) {
    return value(
        () ->
            collection(name)
                .explain(RestJson.parseQuery(query))
                .map(
                    explained -> {
                      ObjectNode json = CliJson.object();
                      json.set("plan", explained.plan());
                      json.set("indexMetrics", explained.indexMetrics());
                      return json;
                    }),
        IndexErrorCode.INVALID_QUERY,
        "plan");
  }
}
