package io.kvreactive.index.internal.exec;

import java.util.List;
import reactor.core.publisher.Mono;

/** A source of known items. */
final class ListSource implements CandidateSource {
  private final List<Candidate> all;
  private int at;

  ListSource(List<Candidate> all) {
    this.all = all;
  }

  @Override
  public Mono<List<Candidate>> next(int wanted) {
    int from = at;
    at = Math.min(all.size(), at + Math.max(1, wanted));
    return Mono.just(all.subList(from, at));
  }

  @Override
  public boolean done() {
    return at >= all.size();
  }
}
