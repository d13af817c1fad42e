package io.kvreactive.documents;

import io.kvreactive.LoadOptions;
import io.kvreactive.LoadProgress;
import io.kvreactive.Versionstamp;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A collection of documents of one type, with the indexes that its definition declares. An item and
 * all of its index entries change in one commit. It is as durable as commits of the store are when
 * they are answered: see {@link io.kvreactive.Durability}.
 *
 * <p>An item is a JSON object with an {@code id}: text of 1 to 1023 bytes without {@code /} and
 * {@code \}, unique in its partition. The store adds {@code _ts} (seconds of the last write) and
 * {@code _etag} (the versionstamp of that write); values that a caller sends in these members are
 * ignored. An item has at most 2 MiB and 128 levels. Types are mapped by Jackson; {@code JsonNode}
 * stands for any document.
 *
 * <p>All publishers are cold: nothing happens before a subscription. Signals are emitted on the
 * Vert.x context of the subscriber, or on a thread of this library if there is no context. The work
 * itself is never done on an event loop. Errors are {@link DocumentException}s with a stable code,
 * and errors of the store are {@code KvException}s. Every operation may fail with
 * COLLECTION_NOT_FOUND.
 *
 * @param <T> the type of the documents
 */
public interface DocumentCollection<T> {
  /** Returns the name of the collection. */
  String name();

  /**
   * Creates an item and emits the stored item. Errors: ITEM_EXISTS if the partition has an item
   * with the same id or the same unique values; INVALID_ITEM, ITEM_TOO_LARGE; LIMIT_EXCEEDED for
   * more than 40,000 index entries, or entries of more than 10,000 paths.
   */
  Mono<Item<T>> create(T document, WriteOptions options);

  /** Creates an item with the default options, as {@link #create(Object, WriteOptions)} does. */
  default Mono<Item<T>> create(T document) {
    return create(document, WriteOptions.DEFAULT);
  }

  /**
   * Creates an item, or replaces the item with the same id. Errors are those of {@link
   * #create(Object, WriteOptions)} and {@link #replace(Object, WriteOptions)}.
   */
  default Mono<Item<T>> upsert(T document, WriteOptions options) {
    return put(document, options).map(UpsertResult::item);
  }

  /**
   * Creates or replaces an item with the default options, as {@link #upsert(Object, WriteOptions)}
   * does.
   */
  default Mono<Item<T>> upsert(T document) {
    return upsert(document, WriteOptions.DEFAULT);
  }

  /** Upserts an item as {@link #upsert(Object, WriteOptions)} does, and emits what was done. */
  Mono<UpsertResult<T>> put(T document, WriteOptions options);

  /**
   * Replaces the item with the same id. Errors: ITEM_NOT_FOUND; ETAG_MISMATCH; ITEM_EXISTS if
   * another item has the same unique values; INVALID_ITEM, ITEM_TOO_LARGE; LIMIT_EXCEEDED as for
   * {@link #create(Object, WriteOptions)}.
   */
  Mono<Item<T>> replace(T document, WriteOptions options);

  /** Replaces an item with the default options, as {@link #replace(Object, WriteOptions)} does. */
  default Mono<Item<T>> replace(T document) {
    return replace(document, WriteOptions.DEFAULT);
  }

  /**
   * Applies all operations to an item in the given order, or none of them. A concurrent change of
   * the item causes a new attempt, at most 100 times. Errors: INVALID_PATCH without operations, or
   * if an operation does not fit the item, or names {@code id}, a system member such as {@code
   * _etag}, or a part of the partition key; CONDITION_NOT_MET if the item does not meet the filter;
   * INVALID_QUERY, with the position in the filter; otherwise those of {@link #replace}.
   */
  Mono<Item<T>> patch(
      String id, PartitionKey partition, List<PatchOperation> operations, PatchOptions options);

  /**
   * Patches an item without a filter, as {@link #patch(String, PartitionKey, List, PatchOptions)}
   * does.
   */
  default Mono<Item<T>> patch(
      String id, PartitionKey partition, List<PatchOperation> operations, WriteOptions options) {
    return patch(id, partition, operations, PatchOptions.of(options));
  }

  /** Patches an item of a collection without partitions, with the default options. */
  default Mono<Item<T>> patch(String id, PatchOperation... operations) {
    return patch(id, PartitionKey.NONE, List.of(operations), WriteOptions.DEFAULT);
  }

  /** Emits an item; empty if the item does not exist. */
  Mono<Item<T>> read(String id, PartitionKey partition);

  /** Emits an item of a collection without partitions; empty if the item does not exist. */
  default Mono<Item<T>> read(String id) {
    return read(id, PartitionKey.NONE);
  }

  /**
   * Deletes an item and emits the commit's versionstamp; empty if the item does not exist. Error:
   * ETAG_MISMATCH.
   */
  Mono<Versionstamp> delete(String id, PartitionKey partition, WriteOptions options);

  /** Deletes an item of a collection without partitions, with the default options. */
  default Mono<Versionstamp> delete(String id) {
    return delete(id, PartitionKey.NONE, WriteOptions.DEFAULT);
  }

  /**
   * Emits the items of one partition key, or of its first values, in the order of their creation,
   * all read at one version. Errors: INVALID_ARGUMENT for more values than the definition has
   * paths; SNAPSHOT_TOO_OLD if a slow subscriber would make the store keep too much history. Items
   * that were read ahead are discarded as in {@link #query(SqlQuery, Class)}.
   */
  Flux<Item<T>> list(PartitionKey partition);

  /**
   * Deletes the items of one partition key, or of its first values. Emits the progress from time to
   * time, and once at the end. Items that are created meanwhile may remain. The deletion goes on
   * while there is demand, and ends if the subscription is cancelled.
   *
   * <p>The items of one partition key are deleted in one commit if they fit into a {@link
   * TransactionalBatch} of deletes: at most {@link TransactionalBatch#MAX_OPERATIONS} items of
   * together 16 MiB, whose index entries fit into one commit of the store. Otherwise each item is
   * deleted together with its index entries, and the deletion as a whole is not atomic, because
   * commits are limited. Deleting again after an error is safe. Error: INVALID_ARGUMENT for no
   * values, or more than the definition has paths.
   */
  Flux<DeleteProgress> deletePartition(PartitionKey partition);

  /** Deletes the items as {@link #deletePartition} does, and emits their number. */
  default Mono<Long> deleteAll(PartitionKey partition) {
    return deletePartition(partition).last().map(DeleteProgress::deleted);
  }

  /**
   * Executes the operations of a batch in order, in one commit, and emits a result for each. An
   * operation sees the effects of those before it. A concurrent change of an item causes a new
   * attempt, at most 100 times.
   *
   * <p>The first operation that fails ends the batch with a {@link BatchException}, which has the
   * index of the operation and its error; nothing has changed then. The errors are those of the
   * single operations. Reading, replacing, patching or deleting an absent item is ITEM_NOT_FOUND,
   * and an item of another partition is INVALID_ITEM. An etag that is required of an item which the
   * batch itself has changed is ETAG_MISMATCH.
   *
   * <p>Errors of the batch as a whole: INVALID_ARGUMENT without operations, or if the partition key
   * does not have a value for each path; LIMIT_EXCEEDED for more than {@link
   * TransactionalBatch#MAX_OPERATIONS} operations, for more than {@link
   * TransactionalBatch#MAX_BYTES} bytes of documents, for more than 16 MiB of stored items or of
   * items that its reads return, or if the items with their index entries do not fit into one
   * commit of the store.
   */
  Mono<BatchResult<T>> execute(TransactionalBatch batch);

  /**
   * Creates or replaces items in batches, several times as fast as one by one. Each item changes
   * together with its index entries; the load as a whole is not atomic. Of several items with the
   * same id the last one is kept. After each batch, emits the number of items, counted from the
   * first, that are committed, and their bytes of JSON. Completes when all items are committed.
   *
   * <p>A batch has at most {@link LoadOptions#batchEntries} items or {@link LoadOptions#batchBytes}
   * bytes of JSON, and at most {@link LoadOptions#concurrency} batches run at a time. A batch is
   * one commit, or several if its index entries exceed 8 MiB or the store's limits are lower. Items
   * are requested as batches complete, at most 256 items and one batch ahead. A subscriber without
   * demand for progress stops the load. A batch is written when it is full or the source completes,
   * not after a timeout.
   *
   * <p>The first item that cannot be stored ends the load. Items before it are stored, and some
   * items after it may be stored. The error is a {@link LoadException} with the item's position and
   * the reason: INVALID_ITEM, ITEM_TOO_LARGE, LIMIT_EXCEEDED, or ITEM_EXISTS if another item has
   * the same unique values. If the source fails, the items before are stored, and then the error is
   * emitted. Commits rejected as OVERLOADED are retried after a pause. Loading the same items again
   * is safe. Cancelling stops the load; commits in progress may still complete.
   */
  Flux<LoadProgress> load(Publisher<? extends T> documents, LoadOptions options);

  /**
   * Loads items in batches of 1000 items or 1 MiB, four at a time, as {@link #load(Publisher,
   * LoadOptions)} does. {@code Kv.load} runs eight at a time; here a batch also holds its index
   * entries, several times its bytes.
   */
  default Flux<LoadProgress> load(Publisher<? extends T> documents) {
    return load(documents, LoadOptions.DEFAULT.withConcurrency(4));
  }

  /**
   * Creates or replaces many items, as {@link #load(Publisher)} does. The items counted by the last
   * progress are committed. After a crash, sending all items again finishes the work.
   */
  default Flux<LoadProgress> upsertMany(Publisher<? extends T> documents) {
    return load(documents);
  }

  /**
   * Deletes the items that a query finds and emits the progress after each page of {@link
   * QueryOptions#maxItemCount} items. The rows must be whole items, as those of {@code SELECT *}.
   * Each item and its index entries are deleted in one commit, if the item was not written since it
   * was read; the whole is not atomic. A subscriber without demand stops the work.
   *
   * <p>Cancelling stops the work; deletes in progress may still complete. What was deleted stays
   * deleted, also after a crash, and running the same query again deletes the rest. Deletes
   * rejected as OVERLOADED are retried after a pause. Errors are those of {@link #query(SqlQuery,
   * Class)}; INVALID_ARGUMENT for rows that are not items.
   */
  Flux<DeleteProgress> deleteMany(SqlQuery query);

  /**
   * Runs a query and emits its rows, all read at one version, then completes. Pages are read on
   * demand; cancelling stops the work. {@link QueryOptions#memoryBytes} bounds the memory of a
   * query. A query whose options have a continuation resumes there.
   *
   * <p>Errors: INVALID_QUERY, ORDER_NOT_INDEXED and SCAN_NOT_ENABLED as {@link QueryException} with
   * the position in the text; QUERY_BUDGET_EXCEEDED; OVERLOADED, see {@link
   * DocumentThreads.Limits}; INVALID_CONTINUATION; SNAPSHOT_TOO_OLD if a slow subscriber would make
   * the store keep too much history; UNREADABLE_VALUE if a row does not fit the type.
   *
   * <p><b>Discard.</b> On cancellation, rows that were made ahead of the demand are dropped. A
   * {@code doOnDiscard} hook may be called for some of them; they hold no resources.
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
   * The next page is read at the version that is then the newest, after the last row. Items written
   * in between are found if they follow the last row. No item is found twice unless a write moved
   * it. Queries that combine rows, such as GROUP BY and DISTINCT, make all rows for the first page;
   * later pages have its version while the result is held, and are computed again afterwards.
   * Continuation tokens remain valid after a restart. Errors are those of {@link #query(SqlQuery,
   * Class)}.
   */
  <R> Mono<QueryPage<R>> page(SqlQuery query, Class<R> type);

  /**
   * Explains the plan of a query, even if its options do not allow the plan. Errors: INVALID_QUERY,
   * ORDER_NOT_INDEXED.
   */
  Mono<Explanation> explain(SqlQuery query);

  /**
   * Emits every commit that changes the collection's items, in commit order, without end: the
   * store's change feed, item by item. Resumable by versionstamp. Demand, bookmarks and the errors
   * COMPACTED and INVALID_ARGUMENT are those of {@code Kv.changes}. Changes that were read ahead
   * are dropped on cancellation; a feed that resumes with the last delivered versionstamp gets them
   * again.
   *
   * @param since the versionstamp after which commits are emitted; null for commits after the
   *     subscription
   */
  Flux<ItemChanges<T>> changes(@Nullable Versionstamp since);

  /**
   * Emits the selected changes in commit order, without end, with the demand of the subscriber.
   * Bookmarks, the errors, resuming and cancellation are those of {@link #changes}. With {@link
   * ChangeFeedOptions#partitionKey}, commits to other partitions cost nothing but an occasional
   * bookmark; among earlier changes, there is one at least for each 20,000 changes or 32 MiB that
   * were searched. Errors: COMPACTED if the store no longer keeps the commits after {@code since};
   * INVALID_ARGUMENT for a {@code since} that has not been reached, or for more values of a
   * partition key than the collection's partition key has paths.
   */
  Flux<ItemChanges<T>> changeFeed(ChangeFeedOptions options);

  /**
   * Emits the selected changes up to the newest version. A page ends with the commit that reaches
   * {@code limit} changes or 4 MiB: all selected changes of a commit are on one page, which may
   * exceed the limit. A page also ends, possibly without changes, when 20,000 changes of the
   * collection or 32 MiB were searched for selected ones. The next page starts at {@link
   * ChangePage#continuation}, and {@link ChangePage#hasMore} tells whether there are more changes
   * already. Errors are those of {@link #changeFeed}.
   *
   * @param limit the number of changes after which the page ends with their commit, 1 to {@value
   *     ChangePage#MAX_LIMIT}
   */
  Mono<ChangePage<T>> changePage(ChangeFeedOptions options, int limit);

  /**
   * Returns a member of a group that shares the work of handling this collection's changes. Nothing
   * happens before {@link ChangeProcessor#start}.
   *
   * @param group the name of the group: 1 to 255 letters, digits, {@code _}, {@code -} or {@code .}
   * @param handler handles a batch: commits with at least one change each; the batch is done when
   *     the publisher completes. Called on a thread of this library, which it must not block
   */
  ChangeProcessor changeProcessor(
      String group,
      ChangeProcessorOptions options,
      Function<List<ItemChanges<T>>, ? extends Publisher<?>> handler);

  /**
   * Returns the stored leases and positions of a group of change processors, for servers and for
   * members that are not a {@link ChangeProcessor}. Its publishers do not create the collection.
   *
   * @param group the name of the group, as for {@link #changeProcessor}
   */
  @API(status = API.Status.EXPERIMENTAL)
  ChangeGroup<T> changeGroup(String group);

  /**
   * Runs a query, emits its rows and {@link QueryUpdate.Synced}, then the changes that commits make
   * to these rows, without end. Each row must belong to one item: JOIN, a subquery in FROM, GROUP
   * BY, aggregates, DISTINCT, TOP and OFFSET are rejected. ORDER BY orders the rows before Synced.
   * The query remembers the emitted items, about 16 bytes each. Errors: INVALID_QUERY; COMPACTED if
   * a slow subscriber falls behind the retained log.
   */
  <R> Flux<QueryUpdate<R>> watchQuery(SqlQuery query, Class<R> type);

  /** Emits the definition of the collection and the progress of its indexes. */
  Mono<CollectionInfo> info();

  /**
   * Replaces the definition and emits the progress of its indexes, from the state after the first
   * commit until 100, or until all remaining work has failed. The change continues after
   * cancellation and after a restart. Reads and writes continue meanwhile: added indexes are read
   * once they are complete, removed indexes are no longer read. Errors: INVALID_POLICY,
   * INVALID_PATH, NOT_CHANGEABLE; LIMIT_EXCEEDED if 16 earlier definitions are not complete yet or,
   * in a small collection, if an item would have too many index entries. After an error nothing has
   * changed.
   */
  Flux<TransformationProgress> replaceDefinition(CollectionDefinition definition);

  /**
   * Emits the progress of the indexes, now and on every change. Completes at 100, or if all
   * remaining work has failed.
   */
  Flux<TransformationProgress> transformation();

  /**
   * Counts the storage used by items and indexes, at one version. The time is proportional to the
   * size.
   */
  Mono<CollectionSizes> sizes();
}
