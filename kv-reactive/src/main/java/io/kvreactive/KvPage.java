package io.kvreactive;

import java.util.List;

/**
 * One page of a list.
 *
 * @param <T> type of the values
 * @param entries in the order of the list
 * @param cursor for the next page ({@link ListOptions#withCursor}); empty when there is none
 * @param snapshot the newest commit that the read saw, also when the page is empty
 */
public record KvPage<T>(List<KvEntry<T>> entries, String cursor, Versionstamp snapshot) {
  public KvPage {
    entries = List.copyOf(entries);
  }

  /** Returns true if there may be more behind this page. */
  public boolean more() {
    return !cursor.isEmpty();
  }
}
