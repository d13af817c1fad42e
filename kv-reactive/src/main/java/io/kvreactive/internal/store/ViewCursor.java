package io.kvreactive.internal.store;

import io.kvreactive.KvValue;
import io.kvreactive.internal.store.image.nodes.ImageRecord;
import io.kvreactive.internal.store.memtable.Memtable;
import io.kvreactive.internal.store.memtable.VersionedValue;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A cursor over a range of a {@link StoreView}: merges the two memtables and the image; the newest
 * layer wins. The accessors return the current entry after {@link #next} has returned true. Not
 * thread-safe.
 */
public final class ViewCursor {
  private final StoreView view;
  private final int sign;
  private final Source<VersionedValue> active;
  private final Source<VersionedValue> frozen;
  private final byte[] start;
  private final byte[] end;
  private final boolean reverse;
  private final long maxSteps;
  private Source<ImageRecord> image;

  private long steps;
  private byte[] key = {};
  private long version;
  private long expireAt;
  private @Nullable KvValue value;
  private @Nullable ImageRecord record;

  /** A sorted input with a one-entry lookahead. */
  private static final class Source<T> {
    private final Iterator<Map.Entry<byte[], T>> entries;
    byte @Nullable [] key;
    @Nullable T value;

    Source(Iterator<Map.Entry<byte[], T>> entries) {
      this.entries = entries;
      advance();
    }

    void advance() {
      if (entries.hasNext()) {
        Map.Entry<byte[], T> next = entries.next();
        key = next.getKey();
        value = next.getValue();
      } else {
        key = null;
        value = null;
      }
    }
  }

  /**
   * Creates a cursor.
   *
   * @param maxSteps the number of steps after which the cursor ends; see {@link #steps}
   */
  ViewCursor(StoreView view, byte[] start, byte[] end, boolean reverse, long maxSteps) {
    this.view = view;
    this.maxSteps = maxSteps;
    this.start = start;
    this.end = end;
    this.reverse = reverse;
    this.sign = reverse ? -1 : 1;
    boolean empty = Arrays.compareUnsigned(start, end) >= 0;
    this.active = new Source<>(memory(empty ? null : view.active(), start, end, reverse));
    this.frozen = new Source<>(memory(empty ? null : view.frozen(), start, end, reverse));
    this.image =
        new Source<>(empty ? Collections.emptyIterator() : view.image().range(start, end, reverse));
    jumpDeleted();
  }

  private static Iterator<Map.Entry<byte[], VersionedValue>> memory(
      @Nullable Memtable memtable, byte[] start, byte[] end, boolean reverse) {
    return memtable == null ? Collections.emptyIterator() : memtable.range(start, end, reverse);
  }

  /** Moves to the next entry. Returns false at the end, and when the steps are used up. */
  public boolean next() {
    while (steps < maxSteps) {
      steps++;
      byte[] next = first(first(active.key, frozen.key), image.key);
      if (next == null) {
        return false;
      }
      boolean present = resolve(next);
      skip(active, next);
      skip(frozen, next);
      if (at(image, next)) {
        image.advance();
        jumpDeleted();
      }
      if (present) {
        key = next;
        return true;
      }
    }
    return false;
  }

  /**
   * Returns the number of steps so far: one for each visited key, deleted and expired ones
   * included, and one for each deleted range that was skipped.
   */
  long steps() {
    return steps;
  }

  private boolean resolve(byte[] next) {
    VersionedValue state =
        view.active().state(next, at(active, next) ? active.value : null, view.version());
    Memtable older = view.frozen();
    if (state == null && older != null) {
      state = older.state(next, at(frozen, next) ? frozen.value : null, view.version());
    }
    if (state != null) {
      version = state.version();
      value = state.value();
      expireAt = state.expireAt();
      record = null;
      return state.isPresent(view.now());
    }
    record = at(image, next) ? image.value : null;
    if (record == null) {
      return false;
    }
    version = record.version();
    value = null;
    expireAt = record.expireAt();
    return !VersionedValue.isExpired(expireAt, view.now());
  }

  /** Skips the entries of the image in deleted ranges, with one seek instead of key by key. */
  private void jumpDeleted() {
    byte[] at = image.key;
    while (at != null && steps < maxSteps) {
      byte[] bound = view.deletedBound(at, reverse);
      if (bound == null) {
        return;
      }
      steps++;
      byte[] from = reverse ? start : bound;
      byte[] to = reverse ? bound : end;
      boolean rest = Arrays.compareUnsigned(from, to) < 0;
      image =
          new Source<>(rest ? view.image().range(from, to, reverse) : Collections.emptyIterator());
      at = image.key;
    }
  }

  private byte @Nullable [] first(byte @Nullable [] a, byte @Nullable [] b) {
    if (a == null || b == null) {
      return a == null ? b : a;
    }
    return a == b || sign * Arrays.compareUnsigned(a, b) <= 0 ? a : b;
  }

  private static boolean at(Source<?> source, byte[] key) {
    return source.key == key || source.key != null && Arrays.equals(source.key, key);
  }

  private static void skip(Source<?> source, byte[] key) {
    if (at(source, key)) {
      source.advance();
    }
  }

  /** Returns the current entry's key; not copied. */
  public byte[] key() {
    return key;
  }

  /** Returns the version of the commit that wrote the current entry. */
  public long version() {
    return version;
  }

  /** Returns the expiry of the current entry, in milliseconds since 1970; 0 for none. */
  public long expireAt() {
    return expireAt;
  }

  /** Returns the current entry's value, which is read from the image at this time. */
  public KvValue value() {
    KvValue loaded = value;
    if (loaded == null) {
      if (record == null) {
        throw new IllegalStateException("no current entry");
      }
      loaded = view.load(record);
      value = loaded;
    }
    return loaded;
  }
}
