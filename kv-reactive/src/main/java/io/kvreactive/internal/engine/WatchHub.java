package io.kvreactive.internal.engine;

import io.kvreactive.internal.store.log.Committed;
import io.kvreactive.internal.store.log.Effect;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * Who watches which key. The store thread tells it what commits touched; it only marks and wakes.
 */
final class WatchHub {
  private final ConcurrentSkipListMap<byte[], Set<Watch>> watchers =
      new ConcurrentSkipListMap<>(Arrays::compareUnsigned);
  private final Set<Watch> all = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  void add(Watch watch, List<byte[]> keys) {
    all.add(watch);
    for (byte[] key : keys) {
      watchers.compute(
          key,
          (k, set) -> {
            Set<Watch> present = set == null ? ConcurrentHashMap.newKeySet() : set;
            present.add(watch);
            return present;
          });
    }
    if (closed) {
      watch.complete();
    }
  }

  void remove(Watch watch, List<byte[]> keys) {
    all.remove(watch);
    for (byte[] key : keys) {
      watchers.computeIfPresent(
          key,
          (k, set) -> {
            set.remove(watch);
            return set.isEmpty() ? null : set;
          });
    }
  }

  int size() {
    return all.size();
  }

  void published(List<Committed> commits) {
    if (watchers.isEmpty()) {
      return;
    }
    for (Committed commit : commits) {
      touch(commit.effects());
    }
  }

  private void touch(List<Effect> effects) {
    for (Effect effect : effects) {
      if (effect.end() != null) {
        watchers
            .subMap(effect.key(), true, effect.end(), false)
            .values()
            .forEach(set -> set.forEach(Watch::touched));
      } else {
        Set<Watch> set = watchers.get(effect.key());
        if (set != null) {
          set.forEach(Watch::touched);
        }
      }
    }
  }

  /** Completes every watch, now and later ones. */
  void close() {
    closed = true;
    all.forEach(Watch::complete);
  }
}
