package io.kvreactive.documents.internal.collection;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvError;
import io.kvreactive.KvErrorCode;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.ChangeFeedOptions;
import io.kvreactive.documents.ChangeFeedOptions.Mode;
import io.kvreactive.documents.ChangePage;
import io.kvreactive.documents.ItemChanges;
import io.kvreactive.documents.internal.store.CollectionMetadata;
import io.kvreactive.internal.shared.ArgumentChecks;
import io.kvreactive.spi.ChangesRequest;
import io.kvreactive.spi.CommittedChanges;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.ReadResult;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/** Change feed of a collection's items, derived from the changes of its keys. */
public final class ItemChangeFeed {
  private static final long BOOKMARK_MILLIS = 5_000;
  private static final int AHEAD = 2; // commits, which may be large
  private static final long PAGE_BYTES = 4 << 20;

  /** Maximum number of changes to decode for a page, or before a stream emits a bookmark. */
  private static final int MAX_SCANNED = 20_000;

  /** Maximum bytes of the values of these changes. */
  private static final long MAX_SCANNED_BYTES = 32 << 20;

  private final KvEngine engine;
  private final Scheduler worker;
  private final CollectionMetadataCache metadataCache;
  private final PartitionWatches watches;

  /**
   * Creates a feed.
   *
   * @param watches the watches of partitions, which all feeds of the collection share
   */
  public ItemChangeFeed(
      KvEngine engine,
      Scheduler worker,
      CollectionMetadataCache metadataCache,
      PartitionWatches watches) {
    this.engine = engine;
    this.worker = worker;
    this.metadataCache = metadataCache;
    this.watches = watches;
  }

  /**
   * A selection of the changes of one collection.
   *
   * @param partition the selected partitions; null for all
   */
  private record Selection(
      CollectionMetadata metadata, Mode mode, @Nullable PartitionSelection partition) {
    boolean isLatest() {
      return mode == Mode.LATEST;
    }

    /** Decodes a commit, without its first {@code skipped} changes. */
    CommitChanges decode(CommittedChanges commit, int skipped) {
      return CommitChanges.decode(metadata, commit)
          .select(
              each ->
                  each.ordinal() >= skipped
                      && !(isLatest() && each.isDelete())
                      && (partition == null || partition.matches(each.identity())),
              mode == Mode.ALL);
    }
  }

  /**
   * See {@code DocumentCollection}. Ends with COLLECTION_NOT_FOUND when the collection is dropped.
   */
  public Flux<ItemChanges<ObjectNode>> changes(@Nullable Versionstamp since) {
    return Flux.defer(
        () -> {
          CollectionMetadata known = metadataCache.known();
          return known == null
              ? metadataCache.refresh().flatMapMany(metadata -> changes(metadata, since))
              : new SwitchFlux<>(
                  changes(known, since), // starts at the current version
                  replacement(known).map(metadata -> changes(metadata, since)));
        });
  }

  /**
   * Emits the metadata of another collection that has taken the name of a known one, otherwise
   * never completes. Error: COLLECTION_NOT_FOUND.
   */
  private Mono<CollectionMetadata> replacement(CollectionMetadata known) {
    return metadataCache
        .refresh()
        .flatMap(
            metadata ->
                Arrays.equals(metadata.keys().itemsStart(), known.keys().itemsStart())
                    ? Mono.never()
                    : Mono.just(metadata));
  }

  private Flux<ItemChanges<ObjectNode>> changes(
      CollectionMetadata metadata, @Nullable Versionstamp since) {
    return DemandGate.apply(
            engine.changes(request(metadata, since, false)),
            commits -> commits.publishOn(worker, AHEAD))
        .map(commit -> CommitChanges.decode(metadata, commit).select(all -> true, false).toItems());
  }

  private static ChangesRequest request(
      CollectionMetadata metadata, @Nullable Versionstamp since, boolean oldValues) {
    return new ChangesRequest(
        metadata.keys().itemsStart(),
        metadata.keys().deletedEnd(),
        since,
        BOOKMARK_MILLIS,
        oldValues);
  }

  // ---- selected changes

  /** See {@code DocumentCollection}. */
  public Flux<ItemChanges<ObjectNode>> follow(ChangeFeedOptions options) {
    return started(options)
        .flatMapMany(
            start -> {
              Selection selection =
                  new Selection(start.metadata(), options.mode(), start.partition());
              return selection.partition() == null
                  ? all(selection, start)
                  : partition(selection, selection.partition(), start.since());
            });
  }

  /**
   * The start of a feed.
   *
   * @param newest the version that was the newest when the feed began
   */
  private record Start(
      CollectionMetadata metadata,
      @Nullable PartitionSelection partition,
      Versionstamp since,
      Versionstamp newest) {}

  private Mono<Start> started(ChangeFeedOptions options) {
    Versionstamp since = options.since();
    return metadataCache
        .refresh()
        .zipWith(newest())
        .map(
            read -> {
              Versionstamp newest = read.getT2();
              if (since != null && Long.compareUnsigned(since.version(), newest.version()) > 0) {
                throw ArgumentChecks.invalid("since", since, "at most " + newest + ", the newest");
              }
              return new Start(
                  read.getT1(),
                  PartitionSelection.of(options, read.getT1()),
                  since == null ? newest : since,
                  newest);
            });
  }

  private Mono<Versionstamp> newest() {
    return engine.read(List.of(), null).map(ReadResult::snapshot);
  }

  private Flux<ItemChanges<ObjectNode>> all(Selection selection, Start start) {
    if (!selection.isLatest()) {
      return commits(selection, start.since(), null).map(CommitChanges::toItems);
    }
    return selected(backlog(selection, start.since(), start.newest()))
        .concatWith(commits(selection, start.newest(), null))
        .map(CommitChanges::toItems);
  }

  /** Follows some partitions: reads when commits have touched them, and rests in between. */
  private Flux<ItemChanges<ObjectNode>> partition(
      Selection selection, PartitionSelection partition, Versionstamp since) {
    Position position = new Position(since);
    AtomicBoolean closed = new AtomicBoolean();
    return Flux.usingWhen(
        watches.watch(selection.metadata(), partition),
        watch ->
            Flux.concat(
                Flux.defer(() -> round(selection, position, watch)),
                Mono.defer(() -> watch.next(position.reached))
                    .doOnSuccess(wake -> closed.setPlain(wake == null))
                    .flatMapMany(wake -> continued(wake, selection, position, watch))
                    .repeat(() -> !closed.getPlain())),
        PartitionWatches.Watch::close);
  }

  /** The position of a feed. */
  private static final class Position {
    private volatile Versionstamp reached;

    Position(Versionstamp reached) {
      this.reached = reached;
    }
  }

  private Flux<ItemChanges<ObjectNode>> continued(
      PartitionWatches.Wake wake,
      Selection selection,
      Position position,
      PartitionWatches.Watch watch) {
    if (wake.position().compareTo(position.reached) > 0) {
      position.reached = wake.position();
    }
    return wake.isTouched()
        ? round(selection, position, watch)
        : Flux.just(bookmark(wake.position()));
  }

  /** Emits the changes up to the newest version, and a bookmark if that is later than the last. */
  private Flux<ItemChanges<ObjectNode>> round(
      Selection selection, Position position, PartitionWatches.Watch watch) {
    watch.reset();
    return newest()
        .flatMapMany(
            newest ->
                selected(backlog(selection, position.reached, newest))
                    .map(CommitChanges::toItems)
                    .concatWith(
                        Mono.defer(
                            () ->
                                position.reached.compareTo(newest) < 0
                                    ? Mono.just(bookmark(newest))
                                    : Mono.empty()))
                    .doOnNext(changes -> position.reached = changes.versionstamp()));
  }

  /**
   * Removes commits without selected changes, except one after many, which becomes a bookmark. A
   * subscriber without demand therefore stops the search, and can resume it after an error.
   */
  private static Flux<CommitChanges> selected(Flux<CommitChanges> commits) {
    return Flux.defer(
        () -> {
          ScanBudget budget = new ScanBudget();
          return commits.filter(
              commit -> {
                boolean isEmitted = budget.isSpentBy(commit) || commit.isNotEmpty();
                if (isEmitted) {
                  budget.renew();
                }
                return isEmitted;
              });
        });
  }

  private ItemChanges<ObjectNode> bookmark(Versionstamp at) {
    return new ItemChanges<>(at, Instant.ofEpochMilli(engine.now()), List.of());
  }

  /**
   * Emits the decoded commits after a position. Pages of earlier versions ended within a commit:
   * the last four digits of their position are the number of its changes that were emitted.
   *
   * @param until the last version to emit; null to emit all and never complete
   */
  private Flux<CommitChanges> commits(
      Selection selection, Versionstamp position, @Nullable Versionstamp until) {
    Versionstamp whole = Versionstamp.of(position.version());
    Versionstamp since = position.order() == 0 ? position : Versionstamp.of(position.version() - 1);
    Flux<CommittedChanges> changes = engine.changes(request(selection.metadata(), since, true));
    Flux<CommittedChanges> source =
        selection.isLatest()
            ? engine.changes(request(selection.metadata(), since, false))
            : changes.onErrorResume(
                e -> KvError.is(e, KvErrorCode.INVALID_ARGUMENT), // previous values are not kept
                e -> engine.changes(request(selection.metadata(), since, false)));
    return DemandGate.apply(
            until == null
                ? source
                : source
                    .takeUntil(commit -> commit.versionstamp().compareTo(until) >= 0)
                    .filter(commit -> commit.versionstamp().compareTo(until) <= 0),
            commits -> commits.publishOn(worker, AHEAD))
        .map(
            commit ->
                selection.decode(
                    commit, commit.versionstamp().equals(whole) ? position.order() : 0));
  }

  /** Emits the decoded commits after a position up to a version, without replaced versions. */
  private Flux<CommitChanges> backlog(
      Selection selection, Versionstamp position, Versionstamp until) {
    Versionstamp reached =
        position.order() == 0 ? position : Versionstamp.of(position.version() - 1);
    if (reached.compareTo(until) >= 0) {
      return Flux.empty();
    }
    Flux<CommitChanges> commits = commits(selection, position, until);
    return selection.isLatest()
        ? DemandGate.apply(
            commits,
            flux ->
                flux.bufferUntil(new WindowBoundary(), true)
                    .concatMap(window -> latest(window, until), 1))
        : commits;
  }

  // ---- latest versions

  /** Removes versions that a later commit, up to a version, has replaced or deleted. */
  private Flux<CommitChanges> latest(List<CommitChanges> window, Versionstamp until) {
    List<CommitChanges.One> upserts =
        window.stream().flatMap(commit -> commit.changes().stream()).toList();
    if (upserts.isEmpty()) {
      return Flux.fromIterable(window);
    }
    Map<CommitChanges.One, Versionstamp> current = new HashMap<>();
    Iterator<CommitChanges.One> next = upserts.iterator();
    return ItemReader.pages(
            engine, worker, upserts.stream().map(ItemChangeFeed::stampOf).toList(), null)
        .doOnNext(
            page -> {
              CommitChanges.One one = next.next();
              if (!page.entries().isEmpty()) {
                current.put(one, page.entries().get(0).versionstamp());
              }
            })
        .thenMany(Flux.fromIterable(window))
        .map(
            commit ->
                commit.only(
                    one -> {
                      Versionstamp now = current.get(one);
                      return now != null
                          && (now.equals(commit.versionstamp())
                              || now.compareTo(until) > 0
                                  && isLastOf(one, upserts)); // else it may never be emitted
                    }));
  }

  private static boolean isLastOf(CommitChanges.One one, List<CommitChanges.One> upserts) {
    for (int i = upserts.size() - 1; i >= 0; i--) {
      if (Arrays.equals(upserts.get(i).key(), one.key())) {
        return upserts.get(i) == one;
      }
    }
    return false;
  }

  private static ReadRange stampOf(CommitChanges.One upsert) {
    byte[] key = upsert.key();
    return new ReadRange(key, Arrays.copyOf(key, key.length + 1), 1, false, true);
  }

  /** Returns true for the first commit of a new window. An instance serves one subscription. */
  private static final class WindowBoundary implements Predicate<CommitChanges> {
    private static final int MAX_CHANGES = 256;
    private static final long MAX_BYTES = 1 << 20;

    private int changes;
    private long bytes;

    @Override
    public boolean test(CommitChanges next) {
      boolean cut = changes >= MAX_CHANGES || bytes >= MAX_BYTES;
      changes = (cut ? 0 : changes) + Math.max(1, next.changes().size());
      bytes = (cut ? 0 : bytes) + next.scannedBytes(); // commits are held as a whole
      return cut;
    }
  }

  /** Limits the changes that are decoded in search of selected ones. Not thread-safe. */
  private static final class ScanBudget {
    private int changes;
    private long bytes;

    /** Adds the changes of a commit. Returns true if these are enough. */
    boolean isSpentBy(CommitChanges commit) {
      changes += commit.scanned();
      bytes += commit.scannedBytes();
      return changes >= MAX_SCANNED || bytes >= MAX_SCANNED_BYTES;
    }

    void renew() {
      changes = 0;
      bytes = 0;
    }
  }

  // ---- pages

  /** See {@code DocumentCollection}. */
  public Mono<ChangePage<ObjectNode>> page(ChangeFeedOptions options, int limit) {
    return Mono.defer(
        () -> {
          ArgumentChecks.between("limit", limit, 1, ChangePage.MAX_LIMIT);
          return started(options)
              .flatMap(
                  start ->
                      page(
                          new Selection(start.metadata(), options.mode(), start.partition()),
                          start.since(),
                          start.newest(),
                          limit));
        });
  }

  /** Watches a range of hashes of partition keys. */
  Mono<PartitionWatches.Watch> watch(PartitionSelection partition) {
    return metadataCache.refresh().flatMap(metadata -> watches.watch(metadata, partition));
  }

  private Mono<ChangePage<ObjectNode>> page(
      Selection selection, Versionstamp since, Versionstamp newest, int limit) {
    PageCollector page = new PageCollector(limit);
    return backlog(selection, since, newest)
        .takeUntil(page::isFullAfter)
        .then(Mono.fromSupplier(() -> page.finish(newest)));
  }

  /** Collects the commits of a page. */
  private static final class PageCollector {
    private final int limit;
    private final List<ItemChanges<ObjectNode>> commits = new ArrayList<>();
    private final ScanBudget scan = new ScanBudget();
    private int count;
    private long bytes;
    private @Nullable Versionstamp end; // of a page that ends before the newest version

    PageCollector(int limit) {
      this.limit = limit;
    }

    private boolean isFull() {
      return count >= limit || bytes >= PAGE_BYTES;
    }

    /** Adds a commit. Returns true at the page's end, which is the end of a commit. */
    boolean isFullAfter(CommitChanges commit) {
      if (commit.isNotEmpty()) {
        commits.add(commit.toItems());
        count += commit.changes().size();
        bytes += commit.bytes();
      }
      boolean isEnd = scan.isSpentBy(commit) || isFull();
      end = isEnd ? commit.versionstamp() : null;
      return isEnd;
    }

    ChangePage<ObjectNode> finish(Versionstamp newest) {
      Versionstamp reached = end;
      return reached == null
          ? new ChangePage<>(commits, newest, false)
          : new ChangePage<>(commits, reached, reached.compareTo(newest) < 0);
    }
  }
}
