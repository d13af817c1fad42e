package io.kvreactive.documents.internal.exec;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentStoreOptions;
import io.kvreactive.documents.QueryException;
import io.kvreactive.documents.QueryMetrics;
import io.kvreactive.documents.QueryOptions;
import io.kvreactive.documents.internal.collection.CollectionMetadataCache;
import io.kvreactive.documents.internal.collection.PartitionPrefix;
import io.kvreactive.documents.internal.eval.QueryProgram;
import io.kvreactive.documents.internal.plan.AccessClass;
import io.kvreactive.documents.internal.plan.Plan;
import io.kvreactive.documents.internal.store.CollectionMetadata;
import io.kvreactive.documents.internal.store.NeighborIndexCache;
import io.kvreactive.documents.internal.worker.HeldResults;
import io.kvreactive.documents.internal.worker.QueryJob;
import io.kvreactive.documents.internal.worker.WorkerThread;
import io.kvreactive.internal.shared.PagedFlux.Pages;
import io.kvreactive.spi.KvEngine;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * One run of a query, whose rows are also available as pages of a {@link
 * io.kvreactive.internal.shared.PagedFlux}. Compiles the query with its first use, which must be on
 * the worker of the job. Takes a snapshot with the first rows, and releases the snapshot when it is
 * closed. {@link RowStreamFactory} creates the rows.
 */
final class QueryRun implements Pages<RowCursor.NumberedRow> {
  private static final int MAX_PAGE = 1024;

  /**
   * Number of rows of a query without pages after which the budgets of steps and time are renewed.
   */
  private static final long ROWS_OF_BUDGET = 1000;

  private final KvEngine engine;
  private final CollectionMetadataCache metadataCache;
  private final DocumentStoreOptions options;
  private final EntryKeysCache indexKeys;
  private final NeighborIndexCache neighbors;
  private final Supplier<PreparedQuery> statement;
  private final QueryOptions queryOptions;
  private final QueryJob job;
  private final long mostRows;
  private long givenRows; // rows since the budget was renewed
  private final QueryBudget budget;
  private @Nullable PreparedQuery prepared;
  private long started; // when the query began to be compiled
  private long planned;
  private @Nullable ContinuationToken token;
  private @Nullable RowCursor cursor;
  private String walkedIndex = "";
  private @Nullable WholeResult resumed;
  private int resumedAt;
  private final QuerySnapshot held = new QuerySnapshot();

  /**
   * Creates a run.
   *
   * @param statement compiles the query
   * @param mostRows the maximum number of rows that will be requested
   * @param job the job of the query, which is closed with the run
   * @param budget the budget of the query
   */
  QueryRun(
      KvEngine engine,
      CollectionMetadataCache metadataCache,
      DocumentStoreOptions options,
      EntryKeysCache indexKeys,
      NeighborIndexCache neighbors,
      Supplier<PreparedQuery> statement,
      QueryOptions queryOptions,
      long mostRows,
      QueryJob job,
      QueryBudget budget) {
    this.engine = engine;
    this.metadataCache = metadataCache;
    this.options = options;
    this.indexKeys = indexKeys;
    this.neighbors = neighbors;
    this.statement = statement;
    this.queryOptions = queryOptions;
    this.mostRows = mostRows;
    this.job = job;
    this.budget = budget;
  }

  /**
   * Returns the compiled query.
   *
   * @throws io.kvreactive.documents.DocumentException INVALID_QUERY, INVALID_CONTINUATION
   */
  private PreparedQuery prepared() {
    PreparedQuery known = prepared;
    if (known == null) {
      started = System.nanoTime();
      known = statement.get();
      prepared = known;
      if (!queryOptions.continuation().isEmpty()) {
        token = ContinuationToken.decode(queryOptions.continuation(), hash());
        if (isWhole() != (token.held() != null)) {
          throw ContinuationToken.planChanged();
        }
      }
    }
    return known;
  }

  /** Returns a hash of the query, its parameters and its partition key. */
  private String hash() {
    return prepared().hash() + PartitionPrefix.hash(queryOptions.partitionKey());
  }

  @Override
  public boolean areMadeOnExecutor() {
    return true;
  }

  /** Returns true if the last rows have been returned. */
  @Override
  public boolean done() {
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
  @Override
  public Mono<List<RowCursor.NumberedRow>> next(long wanted) {
    return Mono.just(next((int) Math.min(wanted, MAX_PAGE)));
  }

  private List<RowCursor.NumberedRow> next(int wanted) {
    var unused = prepared(); // with the token, which may resume a result
    if (isResumed()) {
      return resume(wanted);
    }
    List<RowCursor.NumberedRow> rows = nextRows(wanted);
    if (mostRows == Long.MAX_VALUE) {
      count(rows.size());
    }
    return rows;
  }

  /** Returns the next rows of a query that combines rows, after those of the earlier pages. */
  private List<RowCursor.NumberedRow> resume(int wanted) {
    WholeResult all = resumed;
    if (all == null) {
      all = requireNonNull(pageOfWhole(true).wholeIfMore());
      resumed = all;
      resumedAt = requireNonNull(token).positionIn(all);
    }
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
  private void count(int rows) {
    givenRows += rows;
    if (givenRows >= ROWS_OF_BUDGET) {
      givenRows = 0;
      budget.renew();
    }
  }

  private List<RowCursor.NumberedRow> nextRows(int wanted) {
    RowCursor open = cursor;
    return open == null ? first(wanted) : open.next(wanted);
  }

  /** Returns the first rows. A plan that is found to be stale is made again. */
  private List<RowCursor.NumberedRow> first(int wanted) {
    CollectionMetadata known = metadataCache.known();
    CollectionMetadata metadata =
        planned(known == null ? WorkerThread.await(metadataCache.refresh()) : known);
    KvEngine.Snapshot snapshot = held.take(engine);
    boolean isVerified = false;
    while (true) {
      try {
        return openCursor(metadata, isVerified, snapshot, wanted);
      } catch (StalePlanException changed) {
        CollectionMetadata now = changed.metadata();
        if (now == null) {
          var unused = WorkerThread.await(metadataCache.refresh()); // fails: it was dropped
          throw changed;
        }
        metadata = now;
        isVerified = true;
      }
    }
  }

  /**
   * Plans the query. If no index serves it, the cached metadata may be stale and are read again.
   */
  private CollectionMetadata planned(CollectionMetadata metadata) {
    try {
      var unused = plan(metadata);
      return metadata;
    } catch (QueryException e) {
      if (e.code() != DocumentErrorCode.ORDER_NOT_INDEXED
          && e.code() != DocumentErrorCode.SCAN_NOT_ENABLED) {
        throw e;
      }
      CollectionMetadata newest = WorkerThread.await(metadataCache.refresh());
      var unused = plan(newest);
      return newest;
    }
  }

  private Plan plan(CollectionMetadata metadata) {
    Plan plan = prepared().plan(metadata, queryOptions);
    PreparedQuery reading = prepared().reading();
    if (!queryOptions.enableScan()
        && PartitionPrefix.isNone(queryOptions.partitionKey())
        && plan.accessClass() == AccessClass.FULL_SCAN
        && reading.program().hasItems()) {
      throw reading.scanNotEnabled();
    }
    return plan;
  }

  private List<RowCursor.NumberedRow> openCursor(
      CollectionMetadata metadata, boolean isVerified, KvEngine.Snapshot snapshot, int wanted) {
    Plan chosen = plan(metadata);
    PartitionPrefix prefix = PartitionPrefix.of(queryOptions.partitionKey(), metadata);
    QueryProgram reading = prepared().reading().program();
    // without the scores of the rows
    boolean isOrdered = chosen.vector() != null && !reading.isAggregate() && prefix == null;
    ContinuationToken from = isWhole() ? null : token; // all rows are made for each page
    InstantSource clock = options.clock();
    Instant now = clock.instant();
    SnapshotReader reader =
        new SnapshotReader(
            engine,
            snapshot,
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
            prepared(),
            isWhole() ? Long.MAX_VALUE : mostRows,
            from);
    planned = System.nanoTime() - started;
    RowCursor created = new RowCursor(reader, prepared().program(), streams.rows(), budget, from);
    List<RowCursor.NumberedRow> first = created.next(wanted);
    cursor = created;
    walkedIndex = isWhole() ? streams.itemOrder() : streams.walkedIndex();
    checkOrder();
    reader.confirm(metadataCache);
    return first;
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
    QueryProgram program = prepared().program();
    return prepared().from() != null
        || program.isAggregate()
        || program.isDistinct() && !program.isDistinctInOrder();
  }

  // ---- state after the first rows

  /** Returns the token that the query continues from; null at the start. */
  @Nullable ContinuationToken token() {
    return token;
  }

  /** Creates the empty result of a query that combines rows; only after the first rows. */
  WholeResult newWholeResult() {
    return new WholeResult(version(), prepared().program().isAggregate(), budget);
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
            prepared().program().isDistinctInOrder() ? row.value() : null,
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
    RowCursor created = cursor;
    if (created == null) {
      return new QueryMetrics(
          0, 0, 0, 0, 0, rows, Duration.ZERO, Duration.ofNanos(System.nanoTime() - started));
    }
    SnapshotReader reader = created.reader();
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

  /**
   * Returns the operators that ran for a page, in the format of docs/query.md.
   *
   * @param rows the number of rows of the page
   */
  ObjectNode operators(int rows) {
    RowCursor created = cursor;
    OperatorStats read = created == null ? new OperatorStats("heldResult") : created.stats();
    if (created == null) {
      read.pass(rows);
    }
    OperatorStats page = new OperatorStats("page", read);
    page.pass(rows);
    return page.toJson();
  }

  private RowCursor open() {
    return requireNonNull(cursor, "cursor");
  }

  @Override
  public void cancel() {
    job.cancel();
  }

  /** Releases the snapshot. Thread-safe and idempotent. */
  void release() {
    budget.cancel();
    held.close();
  }

  /** Releases the snapshot and ends the job. Thread-safe and idempotent. */
  @Override
  public void close() {
    release();
    job.close();
  }

  /** Returns a page of rows. */
  PageCollector page() {
    return fill(new PageCollector(queryOptions, budget, null, false));
  }

  /**
   * Returns a page of a query that combines rows.
   *
   * @param isLater true for a later page, of which all rows are collected
   */
  PageCollector pageOfWhole(boolean isLater) {
    return fill(new PageCollector(queryOptions, budget, this::newWholeResult, isLater));
  }

  private PageCollector fill(PageCollector page) {
    while (!isRead() && !page.isComplete()) {
      page.add(nextRows(page.wanted()));
    }
    return page;
  }
}
