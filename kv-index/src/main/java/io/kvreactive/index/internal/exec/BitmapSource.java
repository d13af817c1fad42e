package io.kvreactive.index.internal.exec;

import java.util.ArrayList;
import java.util.List;
import org.roaringbitmap.longlong.LongIterator;
import org.roaringbitmap.longlong.Roaring64Bitmap;
import reactor.core.publisher.Mono;

/** A source of items with known document ids, in id order. */
final class BitmapSource implements CandidateSource {
  private final LongIterator docIds;

  /**
   * Creates a source.
   *
   * @param after the document id after which the source starts; 0 for all items
   */
  BitmapSource(Roaring64Bitmap docIds, long after) {
    this.docIds = docIds.getLongIteratorFrom(after + 1);
  }

  @Override
  public Mono<List<Candidate>> next(int wanted) {
    List<Candidate> found = new ArrayList<>(wanted);
    while (found.size() < wanted && docIds.hasNext()) {
      found.add(Candidate.of(docIds.next()));
    }
    return Mono.just(found);
  }

  @Override
  public boolean done() {
    return !docIds.hasNext();
  }
}
