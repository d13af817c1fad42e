package io.kvreactive.documents.internal.worker;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;

/**
 * Results of queries that are held for their later pages, by all stores that share threads. A
 * result is dropped when it has not been read for {@value #EXPIRY_SECONDS} seconds, or when newer
 * results need its memory. A dropped result is computed again. Thread-safe.
 */
public final class HeldResults {
  static final long EXPIRY_SECONDS = 120;

  private static final long MIN_BYTES = 8 << 20;
  private static final long MAX_BYTES = 256 << 20;

  /** A result. Immutable. */
  public interface Result {
    /** Returns the memory of the result in bytes. */
    long bytes();
  }

  /**
   * The key of a result.
   *
   * @param store the store of the query; compared by identity of the engine
   * @param id the random id that its continuation tokens have
   * @param query the hash of the query, its parameters and its partition key
   * @param collection the id of the collection
   * @param caller the caller of the query; null if it has none
   */
  public record Key(
      Object store, String id, String query, String collection, @Nullable String caller) {}

  private record Entry(Result result, long usedNanos) {}

  private final long maxBytes;
  private final BiFunction<Runnable, Long, Disposable> timers;
  private final Map<Key, Entry> entries = new LinkedHashMap<>(16, 0.75f, true); // guarded by this
  private long bytes; // guarded by this
  private @Nullable Disposable timer; // guarded by this

  /**
   * Creates an empty holder.
   *
   * @param maxBytes the maximum memory of all results; those of one caller take half of it at most
   * @param timers runs a task after a number of seconds
   */
  HeldResults(long maxBytes, BiFunction<Runnable, Long, Disposable> timers) {
    this.maxBytes = maxBytes;
    this.timers = timers;
  }

  /** Returns the default bound of memory: an eighth of the heap, 8 to 256 MiB. */
  static long defaultBytes() {
    return Math.min(MAX_BYTES, Math.max(MIN_BYTES, Runtime.getRuntime().maxMemory() / 8));
  }

  /** Returns the memory of all results in bytes. */
  public synchronized long bytes() {
    return bytes;
  }

  /** Holds a result, unless it is too large, and drops the results that were not read longest. */
  public synchronized void put(Key key, Result result) {
    long most = key.caller() == null ? maxBytes : maxBytes / 2;
    if (result.bytes() > most) {
      return;
    }
    remove(key);
    if (key.caller() != null) {
      dropUntil(most - result.bytes(), other -> Objects.equals(other.caller(), key.caller()));
    }
    dropUntil(maxBytes - result.bytes(), other -> true);
    entries.put(key, new Entry(result, System.nanoTime()));
    bytes += result.bytes();
    if (timer == null) {
      timer = timers.apply(this::expire, EXPIRY_SECONDS);
    }
  }

  /** Drops the oldest of the selected results until they take at most {@code most} bytes. */
  private void dropUntil(long most, Predicate<Key> selected) {
    long held = 0;
    for (Map.Entry<Key, Entry> each : entries.entrySet()) {
      held += selected.test(each.getKey()) ? each.getValue().result().bytes() : 0;
    }
    Iterator<Map.Entry<Key, Entry>> oldest = entries.entrySet().iterator();
    while (held > most) {
      Map.Entry<Key, Entry> each = oldest.next();
      if (selected.test(each.getKey())) {
        held -= each.getValue().result().bytes();
        bytes -= each.getValue().result().bytes();
        oldest.remove();
      }
    }
  }

  /** Returns a result, or null if it is not held any more. */
  public synchronized @Nullable Result get(Key key) {
    Entry found = entries.get(key);
    if (found == null) {
      return null;
    }
    entries.put(key, new Entry(found.result(), System.nanoTime()));
    return found.result();
  }

  /** Drops a result. */
  public synchronized void remove(Key key) {
    Entry removed = entries.remove(key);
    bytes -= removed == null ? 0 : removed.result().bytes();
  }

  /** Drops all results of a store. */
  @SuppressWarnings("ReferenceEquality") // engines have no equality
  public synchronized void close(Object store) {
    dropUntil(0, key -> key.store() == store);
    if (entries.isEmpty() && timer != null) {
      timer.dispose();
      timer = null;
    }
  }

  private synchronized void expire() {
    long now = System.nanoTime();
    long limit = TimeUnit.SECONDS.toNanos(EXPIRY_SECONDS);
    Iterator<Entry> all = entries.values().iterator();
    while (all.hasNext()) {
      Entry next = all.next();
      if (now - next.usedNanos() >= limit) {
        bytes -= next.result().bytes();
        all.remove();
      }
    }
    timer = entries.isEmpty() ? null : timers.apply(this::expire, EXPIRY_SECONDS / 2);
  }
}
