package io.kvreactive.documents.internal.layout;

import static io.kvreactive.documents.internal.worker.WorkerThread.checkpoint;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The difference between two sets of index entries. Unchanged entries are in neither list.
 *
 * @param deleted the keys to delete, ascending
 * @param added the keys to put, ascending
 */
public record KeyDiff(List<byte[]> deleted, List<byte[]> added) {

  /** Returns the difference between two sorted lists of distinct keys. */
  public static KeyDiff between(List<byte[]> before, List<byte[]> after) {
    List<byte[]> deleted = new ArrayList<>();
    List<byte[]> added = new ArrayList<>();
    int i = 0;
    int j = 0;
    while (i < before.size() && j < after.size()) {
      checkpoint();
      int order = Arrays.compareUnsigned(before.get(i), after.get(j));
      if (order < 0) {
        deleted.add(before.get(i++));
      } else if (order > 0) {
        added.add(after.get(j++));
      } else {
        i++;
        j++;
      }
    }
    deleted.addAll(before.subList(i, before.size()));
    added.addAll(after.subList(j, after.size()));
    return new KeyDiff(deleted, added);
  }

  /** Returns the sorted union of two sorted lists, without duplicates. */
  public static List<byte[]> union(List<byte[]> some, List<byte[]> more) {
    List<byte[]> all = new ArrayList<>(some);
    all.addAll(more);
    ItemEntries.sortDistinct(all);
    return all;
  }
}
