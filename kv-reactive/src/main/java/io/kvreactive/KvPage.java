package io.kvreactive;

import java.util.List;

/**
 * One page of a list.
 *
 * @param <T> type of the values
 * @param entries the entries, in the order of the list
 * @param cursor the cursor of the next page ({@link ListOptions#withCursor}); empty if this is the
 *     last page
 * @param snapshot the newest commit that the read saw, also if the page is empty
 */
public record KvPage<T>(List<KvEntry<T>> entries, String cursor, Versionstamp snapshot) {
  public KvPage {
    entries = List.copyOf(entries);
  }

  /** Returns true if there may be more entries after this page. */
  public boolean more() {
    return !cursor.isEmpty();
  }
}
