package io.kvreactive.index.internal.exec;

import io.kvreactive.Versionstamp;
import io.kvreactive.index.DocumentStoreOptions;
import io.kvreactive.index.IndexErrorCode;
import io.kvreactive.index.QueryException;
import io.kvreactive.index.QueryMetrics;
import io.kvreactive.index.QueryOptions;
import io.kvreactive.index.internal.collection.CollectionMetadataCache;
import io.kvreactive.index.internal.collection.PartitionPrefix;
import io.kvreactive.index.internal.eval.QueryProgram;
import io.kvreactive.index.internal.plan.AccessClass;
import io.kvreactive.index.internal.plan.Plan;
import io.kvreactive.index.internal.store.CollectionMetadata;
import io.kvreactive.index.internal.store.NeighborIndexCache;
import io.kvreactive.spi.KvEngine;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * One run of a query. Takes a snapshot with the first rows, and releases the snapshot when it is
 * closed. {@link RowStreamFactory} creates the rows.
 */
final class QueryRun {
  /**
   * Number of rows of a query without pages after which the budgets of steps and time are renewed.
   */
  private static final long ROWS_OF_BUDGET = 1000;

  private final KvEngine engine;
  private final CollectionMetadataCache metadataCache;
  private final DocumentStoreOptions options;
  private final Scheduler worker;
  private final EntryKeysCache indexKeys;
  private final NeighborIndexCache neighbors;
  private final PreparedQuery prepared;
  private final QueryOptions queryOptions;
  private final long mostRows;
  private long givenRows; // rows since the budget was renewed
  private final QueryBudget budget;
  private final long started;
  private long planned;
  private @Nullable ContinuationToken token;
  private @Nullable RowCursor cursor;
  private String walkedIndex = "";
  private KvEngine.@Nullable Snapshot held;
  private boolean closed;

  /**
   * Creates a run.
   *
   * @param mostRows the maximum number of rows that will be requested
   * @param started the {@code System.nanoTime} when the query began to be compiled
   * @param budget the budget of the query
   */
  QueryRun(
      KvEngine engine,
      CollectionMetadataCache metadataCache,
      DocumentStoreOptions options,
      Scheduler worker,
      EntryKeysCache indexKeys,
      NeighborIndexCache neighbors,
      PreparedQuery prepared,
      QueryOptions queryOptions,
      long mostRows,
      long started,
      QueryBudget budget) {
    this.engine = engine;
    this.metadataCache = metadataCache;
    this.options = options;
    this.worker = worker;
    this.indexKeys = indexKeys;
    this.neighbors = neighbors;
    this.prepared = prepared;
    this.queryOptions = queryOptions;
    this.mostRows = mostRows;
    this.budget = budget;
    this.started = started;
    if (!queryOptions.continuation().isEmpty()) {
      if (isWhole()) {
        throw ContinuationToken.invalid(
            "aggregates, GROUP BY and DISTINCT answer in one page", null);
      }
      token = ContinuationToken.decode(queryOptions.continuation(), hash());
    }
  }

  /** Returns a hash of the query, its parameters and its partition key. */
  private String hash() {
    return prepared.hash() + PartitionPrefix.hash(queryOptions.partitionKey());
  }

  /** Returns true if the last rows have been emitted. */
  boolean done() {
    return cursor != null && cursor.done();
  }

  /** Emits about {@code wanted} rows, perhaps more; may emit none before the end. */
  Mono<List<RowCursor.NumberedRow>> next(int wanted) {
    return mostRows == Long.MAX_VALUE
        ? MonoFusion.map(nextRows(wanted), this::countRows)
        : nextRows(wanted);
  }

  /** Counts the rows of a query without pages, which may continue as long as it gives rows. */
  private List<RowCursor.NumberedRow> countRows(List<RowCursor.NumberedRow> rows) {
    givenRows += rows.size();
    if (givenRows >= ROWS_OF_BUDGET) {
      givenRows = 0;
      budget.renew();
    }
    return rows;
  }

  private Mono<List<RowCursor.NumberedRow>> nextRows(int wanted) {
    RowCursor open = cursor;
    if (open != null) {
      return open.next(wanted);
    }
    CollectionMetadata seen = metadataCache.known();
    return MonoFusion.flatMap(
        MonoFusion.flatMap(
            seen == null ? metadataCache.current().publishOn(worker) : Mono.just(seen),
            this::planned),
        metadata ->
            MonoFusion.flatMap(snapshot(), snapshot -> first(metadata, false, snapshot, wanted)));
  }

  /**
   * Plans the query. If no index serves it, the cached metadata may be stale and are read again.
   */
  private Mono<CollectionMetadata> planned(CollectionMetadata metadata) {
    try {
      plan(metadata);
      return Mono.just(metadata);
    } catch (QueryException e) {
      if (e.code() != IndexErrorCode.ORDER_NOT_INDEXED
          && e.code() != IndexErrorCode.SCAN_NOT_ENABLED) {
        return Mono.error(e);
      }
      return metadataCache.refresh().publishOn(worker).doOnNext(this::plan);
    }
  }

  private Plan plan(CollectionMetadata metadata) {
    Plan plan = prepared.plan(metadata, queryOptions);
    PreparedQuery reading = prepared.reading();
    if (!queryOptions.enableScan()
        && PartitionPrefix.isNone(queryOptions.partitionKey())
        && plan.accessClass() == AccessClass.FULL_SCAN
        && reading.program().hasItems()) {
      throw reading.scanNotEnabled();
    }
    return plan;
  }

  /**
   * Emits a snapshot. It is taken at once, so no other thread is needed: reads at the snapshot
   * continue on a worker.
   */
  private Mono<KvEngine.Snapshot> snapshot() {
    Mono<KvEngine.Snapshot> taken = engine.snapshot();
    KvEngine.Snapshot known = MonoFusion.value(taken);
    return known == null
        ? taken
            .map(this::hold)
            .publishOn(worker)
            .doOnDiscard(KvEngine.Snapshot.class, KvEngine.Snapshot::close)
        : Mono.just(hold(known));
  }

  private synchronized KvEngine.Snapshot hold(KvEngine.Snapshot taken) {
    held = taken;
    if (closed) {
      taken.close();
    }
    return taken;
  }

  private Mono<List<RowCursor.NumberedRow>> first(
      CollectionMetadata metadata, boolean isVerified, KvEngine.Snapshot snapshot, int wanted) {
    Mono<List<RowCursor.NumberedRow>> rows;
    try {
      rows = openCursor(metadata, isVerified, snapshot, wanted);
    } catch (StalePlanException changed) {
      return replan(changed, snapshot, wanted);
    }
    return rows instanceof Callable
        ? rows
        : rows.onErrorResume(
            StalePlanException.class, changed -> replan(changed, snapshot, wanted));
  }

  private Mono<List<RowCursor.NumberedRow>> replan(
      StalePlanException changed, KvEngine.Snapshot snapshot, int wanted) {
    CollectionMetadata now = changed.metadata();
    return now == null
        ? metadataCache.refresh().publishOn(worker).then(Mono.error(changed))
        : first(now, true, snapshot, wanted);
  }

  private Mono<List<RowCursor.NumberedRow>> openCursor(
      CollectionMetadata metadata, boolean isVerified, KvEngine.Snapshot snapshot, int wanted) {
    Plan chosen = plan(metadata);
    PartitionPrefix prefix = PartitionPrefix.of(queryOptions.partitionKey(), metadata);
    QueryProgram reading = prepared.reading().program();
    // without the scores of the rows
    boolean isOrdered = chosen.vector() != null && !reading.isAggregate() && prefix == null;
    InstantSource clock = options.clock();
    Instant now = clock.instant();
    SnapshotReader reader =
        new SnapshotReader(
            engine,
            snapshot,
            worker,
            indexKeys,
            metadata,
            metadataCache::of,
            isVerified || metadataCache.isConfirmed(metadata, snapshot.versionstamp()),
            now.getEpochSecond(),
            isOrdered ? reading.rowMembers() : members(reading, prefix));
    RowStreamFactory streams =
        new RowStreamFactory(
            reader,
            chosen,
            ItemContext.of(metadata.definition(), clock, now, 0),
            neighbors,
            prefix,
            budget,
            prepared,
            mostRows,
            token);
    planned = System.nanoTime() - started;
    return MonoFusion.flatMap(
        streams.rows(),
        rows -> {
          RowCursor made = new RowCursor(reader, prepared.program(), rows, budget, token);
          return MonoFusion.map(
              made.next(wanted),
              first -> {
                cursor = made;
                walkedIndex = streams.walkedIndex();
                reader.confirm(metadataCache);
                return first;
              });
        });
  }

  /** Returns the names of the members of items to read, or null for all. */
  private static @Nullable Set<String> members(
      QueryProgram reading, @Nullable PartitionPrefix partition) {
    Set<String> read = reading.members();
    if (read == null || partition == null) {
      return read;
    }
    Set<String> all = new HashSet<>(read);
    all.addAll(partition.members());
    return all;
  }

  /** Returns true if the query answers in one page. */
  boolean isWhole() {
    return prepared.from() != null
        || prepared.program().isAggregate()
        || prepared.program().isDistinct() && !prepared.program().isDistinctInOrder();
  }

  // ---- state after the first rows

  /** Returns the continuation token after a row; not for queries that answer in one page. */
  String continuation(RowCursor.NumberedRow row) {
    ResultRow out = row.out();
    return new ContinuationToken(
            hash(),
            walkedIndex,
            out.after(),
            out.partial(),
            out.rows(),
            out.keys(),
            row.toSkip(),
            row.left(),
            prepared.program().isDistinctInOrder() ? row.value() : null)
        .encode();
  }

  /** Returns the version of the snapshot; only after the first rows or the end. */
  Versionstamp version() {
    return open().reader().snapshot().versionstamp();
  }

  /**
   * Returns the metadata of the collection at the snapshot; only after the first rows or the end.
   */
  CollectionMetadata metadata() {
    return open().reader().metadata();
  }

  QueryMetrics metrics(long rows) {
    SnapshotReader reader = open().reader();
    return new QueryMetrics(
        reader.entriesRead(),
        reader.itemsLoaded(),
        reader.bytesLoaded(),
        reader.candidates(),
        reader.rankedVectors(),
        rows,
        Duration.ofNanos(planned),
        Duration.ofNanos(System.nanoTime() - started));
  }

  private RowCursor open() {
    return Objects.requireNonNull(cursor, "cursor");
  }

  /** Makes the current call end soon. Thread-safe. */
  void cancel() {
    budget.cancel();
  }

  /** Releases the snapshot. Thread-safe and idempotent. */
  void close() {
    budget.cancel();
    synchronized (this) {
      closed = true;
      if (held != null) {
        held.close();
      }
    }
  }

  /** Fills a page. */
  Mono<PageCollector> fill(PageCollector page) {
    return MonoFusion.until(
        () -> done() || page.hasMore(), () -> next(page.wanted()), page::add, () -> page);
  }
}
