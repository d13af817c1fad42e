package io.kvreactive.internal.engine;

import io.kvreactive.internal.store.log.CommitRecord;
import io.kvreactive.spi.KeyRanges;
import io.kvreactive.spi.StoredChange;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The registry of watches by key. The store thread reports committed changes to it, and only marks
 * and wakes watches.
 *
 * <p>Keys with many watches, and ranges with many watched keys, are processed in steps, between
 * which the store thread commits. A key that is touched again before it is processed is processed
 * once.
 */
final class WatchHub {
  /** Maximum number of watches and keys per step. */
  private static final int STEP = 512;

  private final ConcurrentSkipListMap<byte[], WatchedKey> watched =
      new ConcurrentSkipListMap<>(Arrays::compareUnsigned);
  private final Set<Watch> all = ConcurrentHashMap.newKeySet();
  private final Executor storeThread;
  private volatile boolean closed;

  // on the store thread
  private final ArrayDeque<WatchedKey> touchedKeys = new ArrayDeque<>();
  private KeyRanges touchedRanges = new KeyRanges();
  private Iterator<Map.Entry<byte[], byte[]>> ranges = Collections.emptyIterator();
  private Iterator<WatchedKey> keysOfRange = Collections.emptyIterator();
  private boolean scheduled;

  /**
   * A key and its watches. After the last watch is removed, an entry accepts no more: this type of
   * map does not compute atomically, so an entry could be removed together with a watch that was
   * just added.
   */
  private static final class WatchedKey {
    final Set<Watch> watches = ConcurrentHashMap.newKeySet();
    private boolean removed; // guarded by this

    // on the store thread
    boolean queued;
    boolean again; // touched since the watches were last marked
    Iterator<Watch> rest = Collections.emptyIterator();

    /** Adds a watch; returns false if the entry has been removed. */
    synchronized boolean add(Watch watch) {
      if (!removed) {
        watches.add(watch); // already present if the watch has the same key twice
      }
      return !removed;
    }

    /** Removes a watch, and runs {@code removal} if it was the last one. */
    synchronized void remove(Watch watch, Runnable removal) {
      watches.remove(watch);
      if (watches.isEmpty() && !removed) {
        removed = true;
        removal.run();
      }
    }
  }

  WatchHub(Executor storeThread) {
    this.storeThread = storeThread;
  }

  void add(Watch watch, List<byte[]> keys) {
    all.add(watch);
    for (byte[] key : keys) {
      while (!watched.computeIfAbsent(key, k -> new WatchedKey()).add(watch)) {
        // the entry was removed with its last watch
      }
    }
    if (closed) {
      watch.complete();
    }
  }

  void remove(Watch watch, List<byte[]> keys) {
    all.remove(watch);
    for (byte[] key : keys) {
      WatchedKey entry = watched.get(key);
      if (entry != null) {
        entry.remove(watch, () -> watched.remove(key, entry));
      }
    }
  }

  int size() {
    return all.size();
  }

  /**
   * Marks the watches of published commits, the first ones at once and the rest in later steps.
   * Must be called on the store thread.
   */
  void published(List<CommitRecord> commits) {
    if (watched.isEmpty()) {
      return;
    }
    for (CommitRecord commit : commits) {
      for (StoredChange effect : commit.effects()) {
        byte[] end = effect.end();
        if (end != null) {
          touchedRanges.add(effect.key(), end);
        } else {
          touched(watched.get(effect.key()));
        }
      }
    }
    if (!scheduled) {
      step();
    }
  }

  private void touched(@Nullable WatchedKey key) {
    if (key == null) {
      return;
    }
    key.again = true;
    if (!key.queued) {
      key.queued = true;
      touchedKeys.add(key);
    }
  }

  private void step() {
    int left = STEP;
    while (left > 0 && hasMore()) {
      left--;
      if (keysOfRange.hasNext()) {
        touched(keysOfRange.next());
      } else if (ranges.hasNext()) {
        Map.Entry<byte[], byte[]> range = ranges.next();
        keysOfRange = watched.subMap(range.getKey(), range.getValue()).values().iterator();
      } else if (!touchedRanges.isEmpty()) {
        ranges = touchedRanges.asMap().entrySet().iterator();
        touchedRanges = new KeyRanges();
      } else {
        notifyOne(touchedKeys.element());
      }
    }
    scheduled = hasMore() && !closed;
    if (scheduled) {
      storeThread.execute(this::step);
    } else { // an iterator refers to the last key that it returned
      keysOfRange = Collections.emptyIterator();
      ranges = Collections.emptyIterator();
    }
  }

  private boolean hasMore() {
    return keysOfRange.hasNext()
        || ranges.hasNext()
        || !touchedRanges.isEmpty()
        || !touchedKeys.isEmpty();
  }

  private void notifyOne(WatchedKey key) {
    if (key.rest.hasNext()) {
      key.rest.next().touched();
    } else if (key.again) {
      key.again = false;
      key.rest = key.watches.iterator();
    } else {
      key.queued = false;
      // an iterator refers to the last watch that it returned
      key.rest = Collections.emptyIterator();
      touchedKeys.remove();
    }
  }

  /** Completes every watch, including those that are added later. */
  void close() {
    closed = true;
    all.forEach(Watch::complete);
  }
}
