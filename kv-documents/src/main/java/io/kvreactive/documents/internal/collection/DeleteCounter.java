package io.kvreactive.documents.internal.collection;

import io.kvreactive.Versionstamp;
import io.kvreactive.documents.DeleteProgress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Counts the items of one deletion. The time begins with the creation. Not thread-safe. */
public final class DeleteCounter {
  private final long begin = System.nanoTime();
  private long deleted;
  private long changed;
  private @Nullable Versionstamp last;

  /** Counts items that were deleted in one commit, and returns the number of all so far. */
  public long deleted(long count, Versionstamp stamp) {
    deleted += count;
    Versionstamp known = last;
    if (known == null || known.compareTo(stamp) < 0) {
      last = stamp;
    }
    return deleted;
  }

  /** Counts an item that was left because it had changed. */
  public void changed() {
    changed++;
  }

  public DeleteProgress progress() {
    Duration elapsed = Duration.ofNanos(System.nanoTime() - begin);
    return new DeleteProgress(deleted, changed, last, elapsed);
  }
}
