package io.kvreactive.index.internal.exec;

import static java.util.Objects.requireNonNull;

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
import io.kvreactive.index.internal.worker.HeldResults;
import io.kvreactive.spi.KvEngine;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
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
  private @Nullable WholeResult resumed;
  private int resumedAt;
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
      token = ContinuationToken.decode(queryOptions.continuation(), hash());
      if (isWhole() != (token.held() != null)) {
        throw ContinuationToken.planChanged();
      }
    }
  }

  /** Returns a hash of the query, its parameters and its partition key. */
  private String hash() {
    return prepared.hash() + PartitionPrefix.hash(queryOptions.partitionKey());
  }

  /** Returns the scheduler on which the query runs. */
  Scheduler worker() {
    return worker;
  }

  /** Returns true if the last rows have been emitted. */
  boolean done() {
    return isResumed() ? resumed != null && resumedAt == resumed.size() : isRead();
  }

  private boolean isRead() {
    return cursor != null && cursor.done();
  }

  /** Returns true if rows without pages follow pages of a query that combines rows. */
  private boolean isResumed() {
    return token != null && token.held() != null && mostRows == Long.MAX_VALUE;
  }

  /** Emits about {@code wanted} rows, perhaps more; may emit none before the end. */
  Mono<List<RowCursor.NumberedRow>> next(int wanted) {
    if (isResumed()) {
      WholeResult all = resumed;
      return all != null
          ? Mono.just(resume(all, wanted))
          : MonoFusion.map(resumed(), whole -> resume(whole, wanted));
    }
    return mostRows == Long.MAX_VALUE
        ? MonoFusion.map(nextRows(wanted), this::countRows)
        : nextRows(wanted);
  }

  /**
   * Emits all rows of a query that combines rows, and sets the position after the earlier pages.
   */
  private Mono<WholeResult> resumed() {
    return MonoFusion.map(
        pageOfWhole(true),
        page -> {
          WholeResult all = requireNonNull(page.wholeIfMore());
          resumed = all;
          resumedAt = requireNonNull(token).positionIn(all);
          return all;
        });
  }

  private List<RowCursor.NumberedRow> resume(WholeResult all, int wanted) {
    int end = Math.min(all.size(), resumedAt + wanted);
    List<RowCursor.NumberedRow> rows =
        all.rows(resumedAt, end).stream()
            .map(row -> new ResultRow(row, 0, null, 0, 0, List.of()))
            .map(row -> new RowCursor.NumberedRow(row, 0, 0))
            .toList();
    resumedAt = end;
    return rows;
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
    ContinuationToken from = isWhole() ? null : token; // all rows are made for each page
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
            isWhole() ? Long.MAX_VALUE : mostRows,
            from);
    planned = System.nanoTime() - started;
    return MonoFusion.flatMap(
        streams.rows(),
        rows -> {
          RowCursor made = new RowCursor(reader, prepared.program(), rows, budget, from);
          return MonoFusion.map(
              made.next(wanted),
              first -> {
                cursor = made;
                walkedIndex = isWhole() ? streams.itemOrder() : streams.walkedIndex();
                checkOrder();
                reader.confirm(metadataCache);
                return first;
              });
        });
  }

  /** Rejects a token of a query that combines rows if its items now come in another order. */
  private void checkOrder() {
    ContinuationToken known = token;
    if (isWhole() && known != null && !known.index().equals(walkedIndex)) {
      throw ContinuationToken.planChanged();
    }
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

  /** Returns true if the query combines rows, so that all rows are made before the first one. */
  boolean isWhole() {
    return prepared.from() != null
        || prepared.program().isAggregate()
        || prepared.program().isDistinct() && !prepared.program().isDistinctInOrder();
  }

  // ---- state after the first rows

  /** Returns the token that the query continues from; null at the start. */
  @Nullable ContinuationToken token() {
    return token;
  }

  /** Creates the empty result of a query that combines rows; only after the first rows. */
  WholeResult newWholeResult() {
    return new WholeResult(version(), prepared.program().isAggregate(), budget);
  }

  /**
   * Returns the key under which the result of a query that combines rows is held.
   *
   * @param id the id of the result
   */
  HeldResults.Key heldKey(String id, CollectionMetadata metadata) {
    return new HeldResults.Key(engine, id, hash(), metadata.record().id(), queryOptions.caller());
  }

  /**
   * Returns the continuation token of a query that combines rows.
   *
   * @param id the id of the held result
   * @param taken the number of rows taken
   */
  String continuation(String id, WholeResult result, int taken) {
    ContinuationToken known = token;
    return new ContinuationToken(
            hash(),
            cursor == null && known != null ? known.index() : walkedIndex,
            null,
            0,
            taken,
            List.of(),
            0,
            0,
            null,
            new ContinuationToken.Held(id, result.marksBefore(taken)))
        .encode();
  }

  /** Returns the continuation token after a row; not for queries that combine rows. */
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
            prepared.program().isDistinctInOrder() ? row.value() : null,
            null)
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

  /** Returns the metrics of a page, which has read nothing if its rows were held. */
  QueryMetrics metrics(long rows) {
    RowCursor made = cursor;
    if (made == null) {
      return new QueryMetrics(
          0, 0, 0, 0, 0, rows, Duration.ZERO, Duration.ofNanos(System.nanoTime() - started));
    }
    SnapshotReader reader = made.reader();
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
    return requireNonNull(cursor, "cursor");
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

  /** Emits a page of rows. */
  Mono<PageCollector> page() {
    return fill(new PageCollector(queryOptions, budget, null, false));
  }

  /**
   * Emits a page of a query that combines rows.
   *
   * @param isLater true for a later page, of which all rows are collected
   */
  Mono<PageCollector> pageOfWhole(boolean isLater) {
    return fill(new PageCollector(queryOptions, budget, this::newWholeResult, isLater));
  }

  private Mono<PageCollector> fill(PageCollector page) {
    return MonoFusion.until(
        () -> isRead() || page.isComplete(), () -> nextRows(page.wanted()), page::add, () -> page);
  }
}
