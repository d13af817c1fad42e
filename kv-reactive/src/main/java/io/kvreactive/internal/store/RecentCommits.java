package io.kvreactive.internal.store;

import io.kvreactive.internal.store.log.AppliedMutation;
import io.kvreactive.internal.store.log.CommitRecord;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * The newest published commits, in memory up to a budget: what range checks look at, and what those
 * who follow the changes closely read. One thread adds, any thread reads.
 */
public final class RecentCommits {
  private static final int OVERHEAD = 150;

  /** Commits of an entry of the map: one entry for each took a tenth of the store's thread. */
  private static final int LONGEST = 64;

  private final ConcurrentSkipListMap<Long, Run> runs = new ConcurrentSkipListMap<>(); // by last
  private final long maxBytes;
  private long bytes;
  private volatile long from;

  /** Some commits that follow each other; none are empty. */
  private record Run(List<CommitRecord> commits, long bytes) {
    Iterator<CommitRecord> after(long since) {
      int from = 0;
      while (from < commits.size() && commits.get(from).version() <= since) {
        from++;
      }
      return commits.listIterator(from);
    }
  }

  /**
   * @param from the version before the first that will be added
   */
  RecentCommits(long from, long maxBytes) {
    this.from = from;
    this.maxBytes = maxBytes;
  }

  /**
   * @param published ascending
   */
  void add(List<CommitRecord> published) {
    for (int i = 0; i < published.size(); i += LONGEST) {
      List<CommitRecord> some = published.subList(i, Math.min(published.size(), i + LONGEST));
      long size = 0;
      for (CommitRecord commit : some) {
        size += size(commit.effects());
      }
      bytes += size;
      runs.put(some.get(some.size() - 1).version(), new Run(List.copyOf(some), size));
    }
    while (bytes > maxBytes) {
      Map.Entry<Long, Run> oldest = runs.firstEntry();
      if (oldest == null) {
        return;
      }
      from = oldest.getKey(); // first, so that a reader never takes a gap for silence
      runs.remove(oldest.getKey());
      bytes -= oldest.getValue().bytes;
    }
  }

  private static long size(List<AppliedMutation> effects) {
    long size = OVERHEAD;
    for (AppliedMutation effect : effects) {
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
   * Returns the commits after a version, ascending. Complete only if {@link #from} is still not
   * after {@code since} when they have been read.
   */
  public Iterable<CommitRecord> after(long since) {
    return () ->
        new Iterator<>() {
          private final Iterator<Run> tail = runs.tailMap(since, false).values().iterator();
          private Iterator<CommitRecord> run = Collections.emptyIterator();

          @Override
          public boolean hasNext() {
            while (!run.hasNext() && tail.hasNext()) {
              run = tail.next().after(since);
            }
            return run.hasNext();
          }

          @Override
          public CommitRecord next() {
            if (!hasNext()) {
              throw new NoSuchElementException();
            }
            return run.next();
          }
        };
  }
}
