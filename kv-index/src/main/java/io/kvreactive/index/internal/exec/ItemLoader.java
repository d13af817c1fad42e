package io.kvreactive.index.internal.exec;

import static io.kvreactive.index.internal.worker.WorkerThread.checkpoint;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import reactor.core.publisher.Mono;

/**
 * Items that are waited for, loaded part by part: a read gives some megabytes of them, so that not
 * more is held at a time than is worked on. Calls follow each other.
 */
final class ItemLoader {
  private final SnapshotReader session;
  private List<Candidate> left = List.of();

  ItemLoader(SnapshotReader session) {
    this.session = session;
  }

  /** Whether all that were added have been emitted. */
  boolean done() {
    return left.isEmpty();
  }

  /** To be loaded; not before it is done with others. */
  ItemLoader add(List<Candidate> candidates) {
    left = candidates;
    return this;
  }

  /** Some of those that there are and that have not expired, in order. */
  Mono<List<Candidate>> next() {
    return MonoFusion.map(
        session.loadSome(left),
        some -> {
          left = left.subList(some.asked(), left.size());
          return some.items();
        });
  }

  /**
   * Hands over all items of a source, or what stands for them.
   *
   * @param end what to emit then
   */
  static <T> Mono<T> each(
      SnapshotReader session,
      CandidateSource source,
      CoveringReader covering,
      int batch,
      Consumer<Candidate> use,
      Supplier<T> end) {
    ItemLoader loading = new ItemLoader(session);
    return AsyncLoop.until(
        () -> loading.done() && source.done(),
        () ->
            loading.done()
                ? MonoFusion.flatMap(
                    source.next(batch), found -> loading.add(covering.apply(found)).next())
                : loading.next(),
        items -> handOver(items, use),
        end);
  }

  /** Lets go of each item before the next one: what is made of an item is many times its size. */
  private static void handOver(List<Candidate> items, Consumer<Candidate> use) {
    Deque<Candidate> left = new ArrayDeque<>(items);
    for (Candidate item = left.poll(); item != null; item = left.poll()) {
      checkpoint();
      use.accept(item);
    }
  }
}
