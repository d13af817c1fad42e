package io.kvreactive.documents.internal.exec;

import static io.kvreactive.documents.internal.worker.WorkerThread.checkpoint;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;

/**
 * Loads candidates part by part: a read returns at most half a megabyte of items, so that memory is
 * bounded by the part in use. Calls must not overlap.
 */
final class ItemLoader {
  private final SnapshotReader reader;
  private final OperatorStats stats;
  private List<Candidate> left = List.of();

  /**
   * Creates a loader.
   *
   * @param inputs the counts of the operators whose candidates are loaded
   */
  ItemLoader(SnapshotReader reader, OperatorStats... inputs) {
    this.reader = reader;
    this.stats = OperatorStats.optional("load", inputs);
  }

  OperatorStats stats() {
    return stats;
  }

  /** Returns true if all added candidates have been looked up. */
  boolean done() {
    return left.isEmpty();
  }

  /** Adds candidates to be loaded; must be called only when {@link #done} returns true. */
  ItemLoader add(List<Candidate> candidates) {
    left = candidates;
    return this;
  }

  /** Returns some of the candidates that exist and have not expired, in order. */
  List<Candidate> next() {
    SnapshotReader.Loaded some = reader.loadSome(stats, left);
    left = left.subList(some.lookedUp(), left.size());
    return stats.pass(some.items());
  }

  /** Passes each item of a source, or its partial document, to a consumer. */
  void each(CandidateSource source, CoveringReader covering, int batch, Consumer<Candidate> use) {
    while (!done() || !source.done()) {
      if (done()) {
        add(covering.apply(source.next(batch)));
      }
      passEach(next(), use);
    }
  }

  /**
   * Releases each item before the next one: an item's rows may be many times as large as the item.
   */
  private static void passEach(List<Candidate> items, Consumer<Candidate> use) {
    Deque<Candidate> left = new ArrayDeque<>(items);
    for (Candidate item = left.poll(); item != null; item = left.poll()) {
      checkpoint();
      use.accept(item);
    }
  }
}
