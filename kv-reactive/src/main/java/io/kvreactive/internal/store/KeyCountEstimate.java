package io.kvreactive.internal.store;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.internal.store.memtable.Memtable;
import io.kvreactive.internal.store.memtable.VersionedValue;
import java.util.Iterator;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Estimates the number of keys: that of the image, and what the memtables add. A sample of each
 * memtable is looked up in the layers below it, because most of its keys may already be there. If
 * the image is being written, a lookup may see the state before or after.
 */
final class KeyCountEstimate {
  private static final int SAMPLE = 1000;

  private KeyCountEstimate() {}

  /** Returns the estimate. Looks up some thousand keys, which takes a few milliseconds. */
  static long of(StoreView view) {
    long keys = view.image().keys();
    Memtable frozen = view.frozen();
    if (frozen != null) {
      keys += added(frozen, view, key -> isInImage(view, key));
    }
    keys += added(view.active(), view, key -> isBelow(view, frozen, key));
    return Math.max(0, keys);
  }

  private static boolean isBelow(StoreView view, @Nullable Memtable frozen, byte[] key) {
    VersionedValue state = frozen == null ? null : frozen.get(key, view.version());
    return state == null ? isInImage(view, key) : state.isPresent(view.now());
  }

  /** Returns true if the image has a key, or a damaged page where the key would be. */
  private static boolean isInImage(StoreView view, byte[] key) {
    try {
      return view.image().find(key) != null;
    } catch (KvException e) {
      if (e.code() != KvErrorCode.CORRUPT) {
        throw e;
      }
      return true;
    }
  }

  private static long added(Memtable memtable, StoreView view, Predicate<byte[]> isBelow) {
    int step = 1 + memtable.size() / SAMPLE;
    long added = 0;
    int i = 0;
    Iterator<Map.Entry<byte[], VersionedValue>> entries = memtable.all();
    while (entries.hasNext()) {
      Map.Entry<byte[], VersionedValue> entry = entries.next();
      VersionedValue state =
          i++ % step == 0 ? memtable.state(entry.getKey(), entry.getValue(), view.version()) : null;
      if (state != null) {
        added += (state.isPresent(view.now()) ? 1 : 0) - (isBelow.test(entry.getKey()) ? 1 : 0);
      }
    }
    return added * step;
  }
}
