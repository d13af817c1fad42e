package io.kvreactive.index.internal.exec;

import static io.kvreactive.index.internal.worker.WorkerThread.checkpoint;

import io.kvreactive.index.internal.store.StoredItem;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.StoredEntry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import reactor.core.publisher.Mono;

/** A source of all items, in document id order. */
final class FullScanSource implements CandidateSource {
  private final SnapshotReader reader;
  private final boolean keysOnly;
  private final boolean indexedOnly;
  private byte[] start;
  private boolean done;

  /**
   * Creates a source.
   *
   * @param after the document id after which the source starts; 0 for all items
   * @param keysOnly true if the items are not loaded, and may have expired
   */
  FullScanSource(SnapshotReader reader, long after, boolean keysOnly) {
    this(reader, after, keysOnly, false);
  }

  private FullScanSource(SnapshotReader reader, long after, boolean keysOnly, boolean indexedOnly) {
    this.reader = reader;
    this.keysOnly = keysOnly;
    this.indexedOnly = indexedOnly;
    this.start = after == 0 ? reader.keys().itemsStart() : reader.keys().itemsFrom(after + 1);
  }

  /** Returns a source of the indexed items only, for plans made for an index. */
  static FullScanSource indexed(SnapshotReader reader) {
    return new FullScanSource(reader, 0, false, true);
  }

  @Override
  public Mono<List<Candidate>> next(int wanted) {
    ReadRange range = new ReadRange(start, reader.keys().itemsEnd(), wanted, false, keysOnly);
    return MonoFusion.map(reader.read(List.of(range)), pages -> take(pages.get(0)));
  }

  private List<Candidate> take(RangePage page) {
    List<Candidate> found = new ArrayList<>(page.entries().size());
    for (StoredEntry entry : page.entries()) {
      checkpoint();
      long docId = reader.keys().docIdOfItem(entry.key());
      if (keysOnly) {
        found.add(Candidate.of(docId));
        continue;
      }
      StoredItem item = reader.item(entry);
      if (reader.isAlive(item) && (item.indexed() || !indexedOnly)) {
        found.add(Candidate.of(docId).with(item));
      }
    }
    byte[] after = page.resumeAfter();
    done = after == null;
    if (after != null) {
      start = Arrays.copyOf(after, after.length + 1);
    }
    return found;
  }

  @Override
  public boolean done() {
    return done;
  }
}
