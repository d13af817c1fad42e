package io.kvreactive.index.internal.layout;

import static io.kvreactive.index.internal.worker.WorkerThread.checkpoint;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What turns the entries of an item into others; entries that stay are in neither list.
 *
 * @param deleted keys to delete, ascending
 * @param added keys to put, ascending
 */
public record KeyDiff(List<byte[]> deleted, List<byte[]> added) {

  /** From sorted keys to sorted keys, each list with none twice. */
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

  /** All keys of two sorted lists, sorted, none twice. */
  public static List<byte[]> union(List<byte[]> some, List<byte[]> more) {
    List<byte[]> all = new ArrayList<>(some);
    all.addAll(more);
    ItemEntries.sortDistinct(all);
    return all;
  }
}
