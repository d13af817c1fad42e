package io.kvreactive.documents.internal.collection;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvError;
import io.kvreactive.KvErrorCode;
import io.kvreactive.LoadOptions;
import io.kvreactive.LoadProgress;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.BatchResult;
import io.kvreactive.documents.DeleteProgress;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.DocumentStoreOptions;
import io.kvreactive.documents.IndexingDirective;
import io.kvreactive.documents.Item;
import io.kvreactive.documents.PartitionKey;
import io.kvreactive.documents.PatchOperation;
import io.kvreactive.documents.PatchOptions;
import io.kvreactive.documents.TransactionalBatch;
import io.kvreactive.documents.UpsertResult;
import io.kvreactive.documents.WriteOptions;
import io.kvreactive.documents.internal.collection.ItemWriter.Outcome;
import io.kvreactive.documents.internal.collection.ItemWriter.Write;
import io.kvreactive.documents.internal.collection.ItemWriter.Written;
import io.kvreactive.documents.internal.store.CollectionMetadata;
import io.kvreactive.documents.internal.store.StoredItem;
import io.kvreactive.documents.internal.value.Json;
import io.kvreactive.spi.KvEngine;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.util.retry.Retry;

/** Item operations of a collection, on JSON documents. */
public final class ItemOperations {
  /** Repeats writes of many items that the store rejects with OVERLOADED, with longer pauses. */
  public static final Retry WHEN_OVERLOADED =
      Retry.backoff(Long.MAX_VALUE, Duration.ofMillis(2))
          .maxBackoff(Duration.ofMillis(250))
          .filter(e -> KvError.is(e, KvErrorCode.OVERLOADED));

  private final LongAdder traffic;
  private final ItemFilter.Compiler filters;
  private final ItemReader reader;
  private final ItemWriter writer;

  /**
   * Creates the operations.
   *
   * @param expiries receives the second at which the first written item of a commit expires
   */
  public ItemOperations(
      KvEngine engine,
      Scheduler worker,
      LongAdder traffic,
      DocumentStoreOptions options,
      CollectionMetadataCache metadataCache,
      ItemFilter.Compiler filters,
      LongConsumer expiries) {
    this.traffic = traffic;
    this.filters = filters;
    this.reader = new ItemReader(engine, worker, metadataCache, false);
    this.writer = new ItemWriter(engine, worker, options, metadataCache, expiries);
  }

  /** Returns true if an item gets index entries; null to follow the indexing policy. */
  static @Nullable Boolean indexed(IndexingDirective directive) {
    return directive == IndexingDirective.DEFAULT
        ? null
        : Boolean.valueOf(directive == IndexingDirective.INCLUDE);
  }

  private static void checkEtag(@Nullable FoundItem old, WriteOptions options, Object what) {
    checkEtag(
        old == null ? null : old.item().etag(),
        options.ifMatch(),
        what,
        "none, as there is no item");
  }

  /**
   * Checks the etag of an item.
   *
   * @param found the etag; null if there is none
   * @param expected the required etag; null for any
   * @param none the description of the state without an etag
   * @throws DocumentException ETAG_MISMATCH
   */
  static void checkEtag(
      @Nullable Versionstamp found, @Nullable Versionstamp expected, Object what, String none) {
    if (expected != null && !expected.equals(found)) {
      throw new DocumentException(
          DocumentErrorCode.ETAG_MISMATCH,
          "item "
              + what
              + ": etag "
              + (found == null ? none : found)
              + " (expected: "
              + expected
              + ")");
    }
  }

  static DocumentException notFound(Object what) {
    return new DocumentException(DocumentErrorCode.ITEM_NOT_FOUND, "item " + what + " not found");
  }

  static DocumentException alreadyExists(String id) {
    return new DocumentException(
        DocumentErrorCode.ITEM_EXISTS, "item \"" + id + "\" already exists in the partition");
  }

  /** Returns the error for unique values that another item has. */
  static DocumentException uniqueTaken(String holder) {
    return new DocumentException(
        DocumentErrorCode.ITEM_EXISTS,
        "an item with the same unique values already exists in the partition: " + holder);
  }

  private static Item<ObjectNode> item(Written written) {
    ObjectNode whole = Objects.requireNonNull(written.document()).tree(); // not shared any more
    StoredItem.withSystemMembers(whole, written.second(), written.etag());
    return new Item<>(
        whole,
        whole.get("id").textValue(),
        written.etag(),
        Instant.ofEpochSecond(written.second()));
  }

  static Item<ObjectNode> item(StoredItem stored) {
    return new Item<>(
        stored.document(),
        stored.document().path("id").asText(),
        stored.etag(),
        Instant.ofEpochSecond(stored.timestamp()));
  }

  /** See {@code DocumentCollection}, as for all operations of this class. */
  public Mono<Item<ObjectNode>> create(Object given, WriteOptions options) {
    return Mono.defer(
        () -> {
          Document document = Document.of(given);
          Write write =
              new Write(
                  metadata -> ItemIdentity.of(document.tree(), metadata),
                  true,
                  (metadata, identity, old) -> {
                    if (old != null) {
                      throw alreadyExists(document.tree().path("id").asText());
                    }
                    checkEtag(null, options, document.tree().path("id"));
                    return new Outcome(document, indexed(options.directive()));
                  });
          return writer.write(write).map(ItemOperations::item);
        });
  }

  public Mono<UpsertResult<ObjectNode>> put(Object given, WriteOptions options) {
    return Mono.defer(() -> put(Document.of(given), options, false))
        .map(written -> new UpsertResult<>(item(written), written.isCreated()));
  }

  public Mono<Item<ObjectNode>> replace(Object given, WriteOptions options) {
    return Mono.defer(() -> put(Document.of(given), options, true)).map(ItemOperations::item);
  }

  private Mono<Written> put(Document document, WriteOptions options, boolean mustExist) {
    return writer.write(
        new Write(
            metadata -> ItemIdentity.of(document.tree(), metadata),
            false,
            (metadata, identity, old) -> {
              if (old == null && mustExist) {
                throw notFound(document.tree().path("id"));
              }
              checkEtag(old, options, document.tree().path("id"));
              return new Outcome(document, indexed(options.directive()));
            }));
  }

  public Flux<LoadProgress> load(Publisher<?> documents, LoadOptions options) {
    BulkLoad.Single upsert = document -> put(document, WriteOptions.DEFAULT, false);
    return Flux.defer(() -> new BulkLoad(writer, traffic, upsert).load(documents, options));
  }

  public Mono<Item<ObjectNode>> patch(
      String id, PartitionKey partition, List<PatchOperation> operations, PatchOptions options) {
    return Mono.defer(
        () -> {
          PatchApplier.checkNotEmpty(operations);
          String text = options.filter();
          ItemFilter filter = text == null ? null : filters.compile(text);
          Write write =
              new Write(
                  metadata -> ItemIdentity.of(id, partition, metadata),
                  false,
                  (metadata, identity, old) -> {
                    if (old == null) {
                      throw notFound("\"" + id + "\"");
                    }
                    checkEtag(old.item().etag(), options.ifMatch(), "\"" + id + "\"", "none");
                    ObjectNode now = old.item().document();
                    checkFilter(filter, metadata, old.docId(), now, id);
                    Boolean requested = indexed(options.directive());
                    return new Outcome(
                        patched(now, operations, identity, metadata),
                        requested == null ? old.item().indexed() : requested);
                  });
          return writer.write(write).map(ItemOperations::item);
        });
  }

  /**
   * Checks the filter of a patch.
   *
   * @throws DocumentException CONDITION_NOT_MET
   */
  static void checkFilter(
      @Nullable ItemFilter filter,
      CollectionMetadata metadata,
      long docId,
      ObjectNode item,
      String id) {
    if (filter != null && !filter.test(metadata, docId, item)) {
      throw new DocumentException(
          DocumentErrorCode.CONDITION_NOT_MET, "item \"" + id + "\" does not meet the filter");
    }
  }

  /** Returns a patched copy of an item, which must have the same identity. */
  static Document patched(
      ObjectNode item,
      List<PatchOperation> operations,
      ItemIdentity identity,
      CollectionMetadata metadata) {
    ObjectNode tree = (ObjectNode) Json.copy(item);
    tree.remove(StoredItem.TS);
    tree.remove(StoredItem.ETAG);
    PatchApplier.apply(tree, operations, metadata.writeLayout().partitionKey());
    Document document = Document.of(tree);
    ItemIdentity now = ItemIdentity.of(document.tree(), metadata);
    if (!Arrays.equals(now.key(metadata), identity.key(metadata))) {
      throw new DocumentException(
          DocumentErrorCode.INVALID_PATCH,
          "patch makes item " + now + " of " + identity + " (expected: the same id and partition)");
    }
    return document;
  }

  public Flux<DeleteProgress> deletePartition(PartitionKey partition) {
    return Flux.defer(() -> new PartitionDeletion(writer, this::execute).run(partition));
  }

  /** Returns a row of {@code SELECT *} as the item that it is. */
  public static Item<ObjectNode> item(ObjectNode row) {
    return new Item<>(
        row,
        row.path("id").asText(),
        Versionstamp.parse(row.path(StoredItem.ETAG).asText()),
        Instant.ofEpochSecond(row.path(StoredItem.TS).longValue()));
  }

  public Mono<BatchResult<ObjectNode>> execute(TransactionalBatch batch) {
    return new BatchWriter(writer, filters).execute(batch);
  }

  public Mono<Item<ObjectNode>> read(String id, PartitionKey partition) {
    return reader
        .find(metadata -> ItemIdentity.of(id, partition, metadata))
        .flatMap(
            seen -> {
              FoundItem found = seen.found();
              return found == null || writer.isExpired(seen.metadata(), found.item())
                  ? Mono.empty()
                  : Mono.just(item(found.item()));
            });
  }

  public Mono<Versionstamp> delete(String id, PartitionKey partition, WriteOptions options) {
    return writer.remove(
        metadata -> ItemIdentity.of(id, partition, metadata),
        (identity, old) -> checkEtag(old, options, "\"" + id + "\""));
  }

  /**
   * Deletes the item of a row of a query, unless the item was written since. Emits the version of
   * the delete; empty if the item does not exist. Errors: ETAG_MISMATCH; INVALID_ARGUMENT if the
   * row is not a whole item.
   */
  public Mono<Versionstamp> deleteRow(JsonNode row) {
    return Mono.defer(
        () -> {
          if (!row.path("id").isTextual() || !row.path(StoredItem.ETAG).isTextual()) {
            throw new DocumentException(
                DocumentErrorCode.INVALID_ARGUMENT,
                "a row without id and _etag (expected: rows that are items, as of SELECT *)");
          }
          WriteOptions options =
              WriteOptions.DEFAULT.withIfMatch(
                  Versionstamp.parse(row.path(StoredItem.ETAG).textValue()));
          return writer.remove(
              metadata -> ItemIdentity.of(row, metadata),
              (identity, old) -> {
                if (old != null) {
                  checkEtag(old, options, identity);
                }
              });
        });
  }
}
