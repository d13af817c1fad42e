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

/** All items, in the order of their numbers. */
final class FullScanSource implements CandidateSource {
  private final SnapshotReader session;
  private final boolean keysOnly;
  private final boolean indexedOnly;
  private byte[] start;
  private boolean done;

  /**
   * @param after the number that they come behind; 0 for all
   * @param keysOnly whether the items are not loaded, and may have expired
   */
  FullScanSource(SnapshotReader session, long after, boolean keysOnly) {
    this(session, after, keysOnly, false);
  }

  private FullScanSource(
      SnapshotReader session, long after, boolean keysOnly, boolean indexedOnly) {
    this.session = session;
    this.keysOnly = keysOnly;
    this.indexedOnly = indexedOnly;
    this.start = after == 0 ? session.keys().itemsStart() : session.keys().itemsFrom(after + 1);
  }

  /** Those that indexes have, for what is planned to come from one. */
  static FullScanSource indexed(SnapshotReader session) {
    return new FullScanSource(session, 0, false, true);
  }

  @Override
  public Mono<List<Candidate>> next(int wanted) {
    ReadRange range = new ReadRange(start, session.keys().itemsEnd(), wanted, false, keysOnly);
    return MonoFusion.map(session.read(List.of(range)), pages -> take(pages.get(0)));
  }

  private List<Candidate> take(RangePage page) {
    List<Candidate> found = new ArrayList<>(page.entries().size());
    for (StoredEntry entry : page.entries()) {
      checkpoint();
      long docId = session.keys().docIdOfItem(entry.key());
      if (keysOnly) {
        found.add(Candidate.of(docId));
        continue;
      }
      StoredItem item = session.item(entry);
      if (session.isAlive(item) && (item.indexed() || !indexedOnly)) {
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
