package io.kvreactive.internal.store;

import io.kvreactive.internal.store.log.Committed;
import io.kvreactive.internal.store.log.Effect;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * The newest published commits, in memory up to a budget: what range checks look at, and what those
 * who follow the changes closely read. One thread adds, any thread reads.
 */
public final class RecentCommits {
  private static final int OVERHEAD = 150;

  private final ConcurrentSkipListMap<Long, Sized> commits = new ConcurrentSkipListMap<>();
  private final long maxBytes;
  private long bytes;
  private volatile long from;

  private record Sized(Committed commit, long bytes) {}

  /**
   * @param from the version before the first that will be added
   */
  RecentCommits(long from, long maxBytes) {
    this.from = from;
    this.maxBytes = maxBytes;
  }

  void add(List<Committed> published) {
    for (Committed commit : published) {
      long size = size(commit.effects());
      bytes += size;
      commits.put(commit.version(), new Sized(commit, size));
    }
    while (bytes > maxBytes) {
      Map.Entry<Long, Sized> oldest = commits.firstEntry();
      if (oldest == null) {
        return;
      }
      from = oldest.getKey(); // first, so that a reader never takes a gap for silence
      commits.remove(oldest.getKey());
      bytes -= oldest.getValue().bytes;
    }
  }

  private static long size(List<Effect> effects) {
    long size = OVERHEAD;
    for (Effect effect : effects) {
      size += OVERHEAD + effect.key().length;
      size += effect.value() == null ? 0 : effect.value().bytes().length;
      size += effect.oldValue() == null ? 0 : effect.oldValue().bytes().length;
    }
    return size;
  }

  /** All commits after this version are here, until more are added. */
  public long from() {
    return from;
  }

  /**
   * The commits after a version, ascending. Complete only if {@link #from} is still not after
   * {@code since} when they have been read.
   */
  public Iterable<Committed> after(long since) {
    ConcurrentNavigableMap<Long, Sized> tail = commits.tailMap(since, false);
    return () -> tail.values().stream().map(Sized::commit).iterator();
  }
}
