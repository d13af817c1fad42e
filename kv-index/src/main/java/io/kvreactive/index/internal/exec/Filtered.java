package io.kvreactive.index.internal.exec;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** Those items of a source that something holds for once they are loaded. */
final class Filtered implements Source {
  private final Loading loading;
  private final Source source;
  private final Predicate<Candidate> test;
  private final Position.@Nullable Kind kind;

  /**
   * @param kind what their positions are of; null to leave them as they are
   */
  Filtered(
      Session session, Source source, Predicate<Candidate> test, Position.@Nullable Kind kind) {
    this.loading = new Loading(session);
    this.source = source;
    this.test = test;
    this.kind = kind;
  }

  @Override
  public Mono<List<Candidate>> next(int wanted) {
    Mono<List<Candidate>> loaded =
        loading.done()
            ? Ready.flatMap(source.next(wanted), found -> loading.add(found).next())
            : loading.next();
    return Ready.map(loaded, this::kept);
  }

  private List<Candidate> kept(List<Candidate> loaded) {
    List<Candidate> kept = new ArrayList<>(loaded.size());
    for (Candidate candidate : loaded) {
      if (test.test(candidate)) {
        kept.add(kind == null ? candidate : candidate.at(Position.item(kind, candidate.docId())));
      }
    }
    return kept;
  }

  @Override
  public boolean done() {
    return loading.done() && source.done();
  }
}
