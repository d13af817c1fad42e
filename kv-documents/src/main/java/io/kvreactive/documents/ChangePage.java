package io.kvreactive.documents;

import io.kvreactive.Versionstamp;
import java.util.List;

/**
 * A page of a collection's change feed.
 *
 * @param commits the changes, in commit order; all selected changes of a commit are on one page
 * @param continuation the position after this page. It is later than the last change if later
 *     commits changed nothing that the feed selects
 * @param hasMore false if the page reached the version that was the newest when it was requested. A
 *     page with few changes, or none, may have more: it ends after 20,000 changes or 32 MiB that
 *     were searched
 */
public record ChangePage<T>(
    List<ItemChanges<T>> commits, Versionstamp continuation, boolean hasMore) {
  /** Maximum limit of a page. */
  public static final int MAX_LIMIT = 10_000;

  public ChangePage {
    commits = List.copyOf(commits);
  }
}
