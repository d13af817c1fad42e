package io.kvreactive.index;

import io.kvreactive.LoadOptions;
import io.kvreactive.LoadProgress;
import io.kvreactive.Versionstamp;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Documents of one type with the indexes that the collection's definition declares. An item and all
 * of its index entries change in one commit, which is durable before it is answered.
 *
 * <p>An item is a JSON object with an {@code id}: text of 1 to 1023 bytes without {@code /} and
 * {@code \}, unique in its partition. The store adds {@code _ts} (seconds of the last write) and
 * {@code _etag} (the commit that wrote it); what a caller sends in them is ignored. At most 2 MiB
 * and 128 levels. Types are mapped by Jackson; {@code JsonNode} stands for any document.
 *
 * <p>All publishers are cold: nothing happens before a subscription. Signals are emitted on the
 * Vert.x context of the subscriber, or on a thread of this library where there is none; the work
 * itself is never done on an event loop. Errors are {@link IndexException}s with a stable code, and
 * those of the store as {@code KvException}. COLLECTION_NOT_FOUND may come from all of them.
 *
 * @param <T> type of the documents
 */
public interface DocumentCollection<T> {
  /** Its name. */
  String name();

  /**
   * Creates an item and emits it as it is stored. Errors: ITEM_EXISTS when there is one of that id,
   * or with the same unique values, in the partition; INVALID_ITEM, ITEM_TOO_LARGE; LIMIT_EXCEEDED
   * when it would have more than 40,000 index entries, or those of more than 10,000 paths.
   */
  Mono<Item<T>> create(T document, WriteOptions options);

  /** Like {@link #create(Object, WriteOptions)}, with the usual options. */
  default Mono<Item<T>> create(T document) {
    return create(document, WriteOptions.DEFAULT);
  }

  /** Creates an item, or replaces the one of that id. Errors as of the two. */
  Mono<Item<T>> upsert(T document, WriteOptions options);

  /** Like {@link #upsert(Object, WriteOptions)}, with the usual options. */
  default Mono<Item<T>> upsert(T document) {
    return upsert(document, WriteOptions.DEFAULT);
  }

  /**
   * Replaces the item of that id. Errors: ITEM_NOT_FOUND; ETAG_MISMATCH; ITEM_EXISTS for unique
   * values that another item has; INVALID_ITEM, ITEM_TOO_LARGE; LIMIT_EXCEEDED as of {@link
   * #create(Object, WriteOptions)}.
   */
  Mono<Item<T>> replace(T document, WriteOptions options);

  /** Like {@link #replace(Object, WriteOptions)}, with the usual options. */
  default Mono<Item<T>> replace(T document) {
    return replace(document, WriteOptions.DEFAULT);
  }

  /**
   * Changes parts of an item, all of them or none, in the order given. Errors: INVALID_PATCH when a
   * step does not fit, or would change the id or the partition key; otherwise as {@link #replace}.
   */
  Mono<Item<T>> patch(
      String id, PartitionKey partition, List<PatchOperation> operations, WriteOptions options);

  /** Like the other, in a collection without partitions, with the usual options. */
  default Mono<Item<T>> patch(String id, PatchOperation... operations) {
    return patch(id, PartitionKey.NONE, List.of(operations), WriteOptions.DEFAULT);
  }

  /** Emits an item; empty when there is none. */
  Mono<Item<T>> read(String id, PartitionKey partition);

  /** Like the other, in a collection without partitions. */
  default Mono<Item<T>> read(String id) {
    return read(id, PartitionKey.NONE);
  }

  /**
   * Deletes an item and emits the commit's versionstamp; empty when there was none. Error:
   * ETAG_MISMATCH.
   */
  Mono<Versionstamp> delete(String id, PartitionKey partition, WriteOptions options);

  /** Like the other, in a collection without partitions, with the usual options. */
  default Mono<Versionstamp> delete(String id) {
    return delete(id, PartitionKey.NONE, WriteOptions.DEFAULT);
  }

  /**
   * Creates or replaces many items, many with one commit: several times as fast as one by one. Each
   * item and its index entries change together, the load is not atomic. Of several items of one id
   * the last one stays. Emits after each batch how many items, from the first, are durable, and
   * their bytes of JSON; completes when all are.
   *
   * <p>At most {@link LoadOptions#batchEntries} items or {@link LoadOptions#batchBytes} bytes of
   * JSON make a batch, and at most {@link LoadOptions#concurrency} batches are under way at a time.
   * A batch is one commit, or more of them when its index entries have more than 8 MiB or the
   * store's limits are narrower. Items are asked for as batches are done, up to 256 and a batch
   * ahead; a subscriber that asks for no more progress stops the load. A batch is written when it
   * is full or the items end, not after a time.
   *
   * <p>The first item that cannot be stored ends the load: those before it are stored, some of
   * those behind it may be, and the error is a {@link LoadException} that tells its position and
   * why: INVALID_ITEM, ITEM_TOO_LARGE, LIMIT_EXCEEDED, or ITEM_EXISTS for unique values that
   * another item has. When the items end with an error, those before are stored, and then it is
   * emitted. Commits that are refused as OVERLOADED are sent again after a pause. Loading the same
   * items again is safe. Cancelling stops the load; commits that are under way may still be done.
   */
  Flux<LoadProgress> load(Publisher<? extends T> documents, LoadOptions options);

  /** Like {@link #load(Publisher, LoadOptions)}, four batches of 1000 items or 1 MiB at a time. */
  default Flux<LoadProgress> load(Publisher<? extends T> documents) {
    return load(documents, LoadOptions.DEFAULT.withConcurrency(4));
  }

  /**
   * Runs a query and emits its rows, all read at one version, then completes. Pages are read as
   * demand asks; cancelling stops the work. What a query holds is bounded by {@link
   * QueryOptions#memoryBytes}. A continuation in the options is where it starts.
   *
   * <p>Errors: INVALID_QUERY, ORDER_NOT_INDEXED and SCAN_NOT_ENABLED as {@link QueryException} with
   * the place in the text; QUERY_BUDGET_EXCEEDED; OVERLOADED as of {@link IndexThreads.Limits};
   * INVALID_CONTINUATION; SNAPSHOT_TOO_OLD when a slow subscriber would make the store keep too
   * much history; UNREADABLE_VALUE when a row does not fit the type.
   */
  <R> Flux<R> query(SqlQuery query, Class<R> type);

  /** Runs a query whose rows are documents. */
  Flux<T> query(String sql, Map<String, ? extends @Nullable Object> parameters);

  /** Runs a query without parameters whose rows are documents. */
  default Flux<T> query(String sql) {
    return query(sql, Map.of());
  }

  /**
   * Emits one page of a query: at most {@link QueryOptions#maxItemCount} rows, read at one version.
   * The next page is read at the newest version then, behind the last row: items that were written
   * meanwhile are met if they stand there, and none is met twice unless it was moved by a write.
   * Continuations are good after a restart. Errors as of {@link #query(SqlQuery, Class)}.
   */
  <R> Mono<QueryPage<R>> page(SqlQuery query, Class<R> type);

  /**
   * Tells how a query would be answered, also when its options do not allow that. Errors:
   * INVALID_QUERY, ORDER_NOT_INDEXED.
   */
  Mono<Explanation> explain(SqlQuery query);

  /**
   * Emits every commit that changes the collection's items, in commit order, without end: the
   * store's change feed, item by item. Resumable by versionstamp. Demand, bookmarks and the errors
   * COMPACTED and INVALID_ARGUMENT are those of {@code Kv.changes}.
   *
   * @param since commits after this one; null for those after the subscription
   */
  Flux<ItemChanges<T>> changes(@Nullable Versionstamp since);

  /**
   * Runs a query, emits its rows and {@link QueryUpdate.Synced}, then how commits change them,
   * without end. Only for queries whose rows belong to one item each: no JOIN, subquery in FROM,
   * GROUP BY, aggregate, DISTINCT, TOP, OFFSET; ORDER BY orders the rows before Synced. Remembers
   * which items it has emitted, 16 bytes or so each. Error otherwise: INVALID_QUERY; COMPACTED when
   * a slow subscriber falls behind what the log keeps.
   */
  <R> Flux<QueryUpdate<R>> watchQuery(SqlQuery query, Class<R> type);

  /** Emits how the collection is doing. */
  Mono<CollectionInfo> info();

  /**
   * Replaces the definition and emits how far its indexes are, from what the first commit did until
   * 100, or until all that is left has failed; the change goes on when it is cancelled, and after a
   * restart. Reads and writes go on meanwhile: indexes that are added are not read before they are
   * complete, those that are removed at once not any more. Errors: INVALID_POLICY, INVALID_PATH,
   * NOT_CHANGEABLE; LIMIT_EXCEEDED when 16 definitions before it are not through yet, or, in a
   * small collection, when an item would have too many index entries; nothing was done.
   */
  Flux<TransformationProgress> replaceDefinition(CollectionDefinition definition);

  /**
   * Emits how far the indexes are: now and on every change. Completes at 100, or when all that is
   * left has failed.
   */
  Flux<TransformationProgress> transformation();

  /** Counts what items and indexes take, at one version; takes time in proportion. */
  Mono<CollectionSizes> sizes();
}
