package io.kvreactive.internal.store;

import io.kvreactive.internal.store.log.CommitRecord;
import io.kvreactive.spi.StoredChange;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * The newest published commits, in memory up to a budget, for range checks and for change feeds
 * that are close to the end. One thread adds, any thread reads.
 */
public final class RecentCommits {
  private static final int OVERHEAD = 150;

  /**
   * Maximum number of commits per map entry. One entry for each took a tenth of the store thread's
   * time.
   */
  private static final int LONGEST = 64;

  // by last version
  private final ConcurrentSkipListMap<Long, Run> runs = new ConcurrentSkipListMap<>();
  private final long maxBytes;
  private long bytes;
  private volatile long from;

  /** Consecutive non-empty commits. */
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
   * Creates an empty set.
   *
   * @param from the version before the first commit that will be added
   */
  RecentCommits(long from, long maxBytes) {
    this.from = from;
    this.maxBytes = maxBytes;
  }

  /**
   * Adds commits.
   *
   * @param published the commits in ascending order
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
      // first, so that a reader never mistakes a gap for the absence of commits
      from = oldest.getKey();
      runs.remove(oldest.getKey());
      bytes -= oldest.getValue().bytes;
    }
  }

  private static long size(List<StoredChange> effects) {
    long size = OVERHEAD;
    for (StoredChange effect : effects) {
      size += OVERHEAD + effect.key().length;
      size += effect.value() == null ? 0 : effect.value().bytes().length;
      size += effect.oldValue() == null ? 0 : effect.oldValue().bytes().length;
    }
    return size;
  }

  /** Returns the version after which all commits are present, until more are added. */
  public long from() {
    return from;
  }

  /**
   * Returns the commits after a version, ascending. They are complete only if {@link #from} is
   * still at most {@code since} after they have been read.
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
