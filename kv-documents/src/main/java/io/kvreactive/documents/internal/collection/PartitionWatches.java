package io.kvreactive.documents.internal.collection;

import io.kvreactive.Versionstamp;
import io.kvreactive.documents.internal.store.CollectionMetadata;
import io.kvreactive.spi.ChangesRequest;
import io.kvreactive.spi.CommittedChanges;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.ReadResult;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Scheduler;

/**
 * Wakes the feeds of single partitions of a collection. One feed of the engine is shared by all of
 * them: it finds the partitions of each commit once, so that a feed whose partitions are not
 * touched costs nothing. Thread-safe.
 */
public final class PartitionWatches {
  private static final long BOOKMARK_MILLIS = 5_000;
  private static final int AHEAD = 128;

  private final KvEngine engine;
  private final Scheduler worker;
  private final Map<String, Hub> hubs = new HashMap<>(); // by collection id; guarded by this

  public PartitionWatches(KvEngine engine, Scheduler worker) {
    this.engine = engine;
    this.worker = worker;
  }

  /**
   * Emits a watch of some partitions, which the caller must close. Every commit after the version
   * that is the newest when the watch is emitted wakes it if it touches the partitions.
   */
  Mono<Watch> watch(CollectionMetadata metadata, PartitionSelection partition) {
    return Mono.defer(
        () -> {
          Watch watch;
          synchronized (this) {
            Hub hub = hubs.computeIfAbsent(metadata.record().id(), id -> new Hub(id, metadata));
            watch = new Watch(hub, partition);
            hub.add(watch);
          }
          return watch
              .hub
              .started
              .thenReturn(watch)
              .doOnCancel(watch::end)
              .doOnError(e -> watch.end());
        });
  }

  /** The watch of one feed. */
  final class Watch {
    private final Hub hub;
    private final PartitionSelection partition;
    private @Nullable Versionstamp touched; // the first commit since the reset
    private @Nullable MonoSink<Wake> waiting;

    private Watch(Hub hub, PartitionSelection partition) {
      this.hub = hub;
      this.partition = partition;
    }

    /** Forgets the commits that have touched the partitions. Must be called before reading. */
    synchronized void reset() {
      touched = null;
    }

    private void touch(Versionstamp version) {
      MonoSink<Wake> woken;
      synchronized (this) {
        touched = touched == null ? version : touched;
        woken = waiting;
        waiting = null;
      }
      if (woken != null) {
        woken.success(new Wake(before(version), true));
      }
    }

    /**
     * Emits a wake when a commit has touched the partitions since the last reset, or after some
     * seconds in which others were touched. Completes empty when the engine is closed.
     */
    Mono<Wake> next(Versionstamp position) {
      return Mono.firstWithSignal(touched(), hub.ended(), passed(position));
    }

    private Mono<Wake> touched() {
      return Mono.create(
          sink -> {
            Versionstamp known;
            synchronized (this) {
              known = touched;
              waiting = known == null ? sink : null;
            }
            if (known != null) {
              sink.success(new Wake(before(known), true));
            }
          });
    }

    private Mono<Wake> passed(Versionstamp position) {
      return Mono.delay(Duration.ofMillis(BOOKMARK_MILLIS), worker)
          .mapNotNull(
              late -> {
                Versionstamp passed = hub.position;
                synchronized (this) { // a touch before the position is not lost
                  return touched == null && passed.compareTo(position) > 0
                      ? new Wake(passed, false)
                      : null;
                }
              })
          .repeatWhenEmpty(empty -> empty);
    }

    /** Ends the watch. Idempotent. */
    Mono<Void> close() {
      return Mono.fromRunnable(this::end);
    }

    private void end() {
      synchronized (PartitionWatches.this) {
        hub.remove(this);
      }
    }
  }

  /**
   * A reason to continue a feed.
   *
   * @param position the position up to which no commit has touched the partitions
   * @param isTouched true if a commit after it has
   */
  record Wake(Versionstamp position, boolean isTouched) {}

  private static Versionstamp before(Versionstamp version) {
    return Versionstamp.of(version.version() - 1);
  }

  /** The shared feed of one collection. */
  private final class Hub {
    private final String id;
    private final CollectionMetadata metadata;
    private final Map<ByteBuffer, Set<Watch>> byPrefix = new HashMap<>();
    private final Set<Integer> prefixLengths = new HashSet<>();
    private final Set<Watch> byHash = new LinkedHashSet<>();
    private final Mono<Void> started;
    private final Sinks.Empty<Wake> end = Sinks.empty();
    private @Nullable Disposable feed;
    private int size;
    private volatile Versionstamp position = Versionstamp.ZERO;

    Hub(String id, CollectionMetadata metadata) {
      this.id = id;
      this.metadata = metadata;
      this.started =
          engine
              .read(List.of(), null)
              .map(ReadResult::snapshot)
              .doOnNext(this::start)
              .then()
              .cache();
    }

    private void start(Versionstamp since) {
      position = since;
      Disposable subscribed =
          engine
              .changes(
                  new ChangesRequest(
                      metadata.keys().itemsStart(),
                      metadata.keys().deletedEnd(),
                      since,
                      BOOKMARK_MILLIS,
                      false))
              .publishOn(worker, AHEAD)
              .subscribe(this::take, this::fail, this::complete);
      synchronized (PartitionWatches.this) {
        feed = subscribed;
        if (size == 0) {
          subscribed.dispose();
        }
      }
    }

    private Mono<Wake> ended() {
      return end.asMono();
    }

    private void complete() {
      remove();
      end.tryEmitEmpty();
    }

    private void fail(Throwable failure) {
      remove();
      end.tryEmitError(failure);
    }

    private void remove() {
      synchronized (PartitionWatches.this) {
        hubs.remove(id, this);
      }
    }

    // ---- guarded by the watches

    private void add(Watch watch) {
      size++;
      ByteBuffer prefix = watch.partition.prefix();
      if (prefix == null) {
        byHash.add(watch);
      } else {
        byPrefix.computeIfAbsent(prefix, key -> new LinkedHashSet<>()).add(watch);
        prefixLengths.add(watch.partition.values());
      }
    }

    private void remove(Watch watch) {
      ByteBuffer prefix = watch.partition.prefix();
      Set<Watch> same = prefix == null ? byHash : byPrefix.getOrDefault(prefix, Set.of());
      if (!same.contains(watch)) {
        return;
      }
      same.remove(watch);
      if (prefix != null && same.isEmpty()) {
        byPrefix.remove(prefix);
      }
      if (--size == 0) {
        hubs.remove(id, this);
        if (feed != null) {
          feed.dispose();
        }
      }
    }

    // ---- on one worker at a time

    private void take(CommittedChanges commit) {
      CommitChanges changes = CommitChanges.decode(metadata, commit);
      Set<Watch> woken = new LinkedHashSet<>();
      for (CommitChanges.One one : changes.changes()) {
        ItemIdentity item = one.identity();
        synchronized (PartitionWatches.this) {
          for (int length : prefixLengths) {
            woken.addAll(
                byPrefix.getOrDefault(
                    PartitionSelection.encoded(item.partition(), length), Set.of()));
          }
          for (Watch watch : byHash) {
            if (watch.partition.matches(item)) {
              woken.add(watch);
            }
          }
        }
      }
      woken.forEach(watch -> watch.touch(commit.versionstamp()));
      position = commit.versionstamp();
    }
  }
}
