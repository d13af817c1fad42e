package io.kvreactive.index.internal.exec;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** A source of the items of another source that pass a test after loading. */
final class FilteredSource implements CandidateSource {
  private final ItemLoader loading;
  private final CandidateSource source;
  private final Predicate<Candidate> test;
  private final ScanPosition.@Nullable Kind kind;

  /**
   * Creates a source.
   *
   * @param kind the kind of the emitted positions; null to keep the positions of {@code source}
   */
  FilteredSource(
      SnapshotReader reader,
      CandidateSource source,
      Predicate<Candidate> test,
      ScanPosition.@Nullable Kind kind) {
    this.loading = new ItemLoader(reader);
    this.source = source;
    this.test = test;
    this.kind = kind;
  }

  @Override
  public Mono<List<Candidate>> next(int wanted) {
    Mono<List<Candidate>> loaded =
        loading.done()
            ? MonoFusion.flatMap(source.next(wanted), found -> loading.add(found).next())
            : loading.next();
    return MonoFusion.map(loaded, this::kept);
  }

  private List<Candidate> kept(List<Candidate> loaded) {
    List<Candidate> kept = new ArrayList<>(loaded.size());
    for (Candidate candidate : loaded) {
      if (test.test(candidate)) {
        kept.add(
            kind == null ? candidate : candidate.at(ScanPosition.item(kind, candidate.docId())));
      }
    }
    return kept;
  }

  @Override
  public boolean done() {
    return loading.done() && source.done();
  }
}
