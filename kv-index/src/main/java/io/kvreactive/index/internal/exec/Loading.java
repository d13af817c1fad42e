package io.kvreactive.index.internal.exec;

import java.util.List;
import java.util.function.Consumer;
import reactor.core.publisher.Mono;

/**
 * Items that are waited for, loaded part by part: a read gives some megabytes of them, so that not
 * more is held at a time than is worked on. Calls follow each other.
 */
final class Loading {
  private final Session session;
  private List<Candidate> left = List.of();

  Loading(Session session) {
    this.session = session;
  }

  /** Whether all that were added have been emitted. */
  boolean done() {
    return left.isEmpty();
  }

  /** To be loaded; not before it is done with others. */
  Loading add(List<Candidate> candidates) {
    left = candidates;
    return this;
  }

  /** Some of those that there are and that have not expired, in order. */
  Mono<List<Candidate>> next() {
    return session
        .loadSome(left)
        .map(
            some -> {
              left = left.subList(some.asked(), left.size());
              return some.items();
            });
  }

  /** Hands over all items of a source. */
  static Mono<Void> each(Session session, Source source, int batch, Consumer<Candidate> use) {
    return each(session, source, Covering.NOT, batch, use);
  }

  /** Hands over all items of a source, or what stands for them. */
  static Mono<Void> each(
      Session session, Source source, Covering covering, int batch, Consumer<Candidate> use) {
    Loading loading = new Loading(session);
    return Loop.until(
        () -> loading.done() && source.done(),
        () ->
            (loading.done()
                    ? source.next(batch).flatMap(found -> loading.add(covering.apply(found)).next())
                    : loading.next())
                .doOnNext(items -> items.forEach(use)));
  }
}
