package io.kvreactive.documents.crash;

import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;

/** Collects the values in the lines of {@link ChangeProcessorKillChild}, by partition. */
final class HandledChanges {
  final Map<Integer, SortedSet<Integer>> written = new TreeMap<>();
  final Map<Integer, List<Integer>> handled = new TreeMap<>();

  void note(String line) {
    String[] parts = line.split(" ");
    if (parts.length != 3) {
      return; // cut off by the kill
    }
    int partition = Integer.parseInt(parts[1]);
    int value = Integer.parseInt(parts[2]);
    if (parts[0].equals("written")) {
      written.computeIfAbsent(partition, key -> new TreeSet<>()).add(value);
    } else if (parts[0].equals("handled")) {
      handled.computeIfAbsent(partition, key -> new CopyOnWriteArrayList<>()).add(value);
    }
  }
}
