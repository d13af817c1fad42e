package io.kvreactive.documents.internal.transform;

import io.kvreactive.documents.internal.collection.CollectionMetadataCache;
import io.kvreactive.documents.internal.layout.StoredVectorIndex;
import io.kvreactive.documents.internal.store.CollectionMetadata;
import io.kvreactive.documents.internal.store.NeighborIndexCache;
import io.kvreactive.spi.ChangesRequest;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.StoredChange;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * The thread that maintains the approximate vector indexes of a store. Inserts into a graph take
 * milliseconds each, too long for shared threads. The thread is started when such an index exists,
 * and ends after it has been idle for a while.
 */
final class NeighborThread {
  private static final Logger LOG = LoggerFactory.getLogger(NeighborThread.class);
  private static final long IDLE_SECONDS = 10;
  private static final long AGAIN_SECONDS = 10;
  private static final long BOOKMARK_MILLIS = 60_000;

  private final KvEngine engine;
  private final Scheduler worker;
  private final LongAdder traffic;
  private final String root;
  private final NeighborIndexCache indexes;
  private final ThreadPoolExecutor thread =
      new ThreadPoolExecutor(
          1,
          1,
          IDLE_SECONDS,
          TimeUnit.SECONDS,
          new LinkedBlockingQueue<>(),
          work -> {
            Thread newThread = new Thread(work, threadName());
            newThread.setDaemon(true);
            return newThread;
          });
  private final Set<String> waiting = ConcurrentHashMap.newKeySet();
  private volatile boolean stopped;

  // accessed only by the thread
  private final Map<String, Followed> followed = new HashMap<>(); // by collection name

  /** The indexers and feeds of a collection, until its entries are dropped. */
  private record Followed(String id, List<NeighborIndexer> indexers, List<Disposable> feeds) {
    void close() {
      feeds.forEach(Disposable::dispose);
    }
  }

  NeighborThread(
      KvEngine engine,
      Scheduler worker,
      LongAdder traffic,
      String root,
      NeighborIndexCache indexes) {
    this.engine = engine;
    this.worker = worker;
    this.traffic = traffic;
    this.root = root;
    this.indexes = indexes;
    thread.allowCoreThreadTimeOut(true);
  }

  private String threadName() {
    return engine.name().isEmpty()
        ? "kv-documents-vectors"
        : "kv-documents-vectors-" + engine.name();
  }

  /** Notifies the thread of changes to a collection, which may have been dropped. */
  void changed(String name) {
    if (stopped || !waiting.add(name)) {
      return;
    }
    try {
      thread.execute(() -> visit(name));
    } catch (RejectedExecutionException e) {
      waiting.remove(name); // closed meanwhile
    }
  }

  private void later(String name) {
    if (!stopped) {
      var unused = worker.schedule(() -> changed(name), AGAIN_SECONDS, TimeUnit.SECONDS);
    }
  }

  private void visit(String name) {
    waiting.remove(name);
    if (stopped) {
      return;
    }
    try {
      CollectionMetadata metadata =
          Objects.requireNonNull(
              new CollectionMetadataCache(engine, worker, root, name).refresh().block());
      Set<NeighborIndexer.Left> left = EnumSet.noneOf(NeighborIndexer.Left.class);
      for (NeighborIndexer indexer : follow(name, metadata)) {
        left.add(indexer.run());
      }
      if (left.contains(NeighborIndexer.Left.CHECK)) {
        changed(name); // after other collections
      } else if (left.contains(NeighborIndexer.Left.SAVE)) {
        later(name);
      }
    } catch (RuntimeException e) {
      unfollow(name);
      if (NeighborIndexer.isOver(e)) {
        return;
      }
      LOG.warn("the vector indexes of {} are looked at again in {} s", name, AGAIN_SECONDS, e);
      later(name);
    }
  }

  private List<NeighborIndexer> follow(String name, CollectionMetadata metadata) {
    List<StoredVectorIndex> wanted = new ArrayList<>();
    for (StoredVectorIndex index : metadata.available().vectors()) {
      if (index.isApproximate()) {
        wanted.add(index);
      }
    }
    Followed known = followed.get(name);
    if (known != null
        && known.indexers().size() == wanted.size()
        && wanted.stream()
            .allMatch(
                index -> known.indexers().stream().anyMatch(each -> each.isOf(metadata, index)))) {
      return known.indexers();
    }
    unfollow(name);
    if (wanted.isEmpty()) {
      return List.of();
    }
    List<NeighborIndexer> indexers = new ArrayList<>();
    List<Disposable> feeds = new ArrayList<>();
    for (StoredVectorIndex index : wanted) {
      indexers.add(new NeighborIndexer(engine, traffic, () -> stopped, indexes, metadata, index));
      feeds.add(feed(name, metadata.keys().vectorMarks(index.number(), 1)));
    }
    followed.put(name, new Followed(metadata.record().id(), indexers, feeds));
    return indexers;
  }

  private Disposable feed(String name, ReadRange marks) {
    ChangesRequest request =
        new ChangesRequest(marks.start(), marks.end(), null, BOOKMARK_MILLIS, false);
    return engine
        .changes(request)
        .publishOn(worker, 1)
        .subscribe(
            commit -> {
              if (commit.changes().stream()
                  .anyMatch(change -> change.kind() == StoredChange.Kind.SET)) {
                changed(name);
              }
            },
            e -> {
              if (!NeighborIndexer.isOver(e)) {
                LOG.debug("the vectors of {} cannot be followed for now", name, e);
                remove(name);
              }
            });
  }

  /** Follows a collection again after a while. */
  private void remove(String name) {
    try {
      thread.execute(() -> unfollow(name));
    } catch (RejectedExecutionException e) {
      return; // closed
    }
    later(name);
  }

  private void unfollow(String name) {
    @Nullable Followed known = followed.remove(name);
    if (known != null) {
      known.close();
      indexes.removeCollection(known.id());
    }
  }

  private void end() {
    for (Map.Entry<String, Followed> each : Map.copyOf(followed).entrySet()) {
      try {
        each.getValue().indexers().forEach(NeighborIndexer::close);
      } catch (RuntimeException e) {
        if (!NeighborIndexer.isOver(e)) {
          LOG.warn("the vector indexes of {} were not saved", each.getKey(), e);
        }
      }
      unfollow(each.getKey());
    }
  }

  /** Ends the work in progress, and completes when the structures are saved. */
  Mono<Void> close() {
    return Mono.defer(
        () -> {
          stopped = true;
          return Mono.<Void>create(
              sink -> {
                try {
                  thread.execute(
                      () -> {
                        end();
                        sink.success();
                      });
                } catch (RejectedExecutionException e) {
                  sink.success(); // already closed
                }
                thread.shutdown();
              });
        });
  }
}
