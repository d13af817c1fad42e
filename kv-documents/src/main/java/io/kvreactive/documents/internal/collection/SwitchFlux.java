package io.kvreactive.documents.internal.collection;

import java.util.concurrent.atomic.AtomicReference;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * Emits the elements of a source until a replacement is known, then those of the replacement. The
 * source is cancelled before that; a failure to find a replacement ends it in the same way.
 *
 * <p>{@code takeUntilOther} with an error and {@code onErrorResume} do not do this (reactor-core
 * 3.8.7): the error does not cancel the source. If it arrives before {@code onSubscribe} has been
 * passed on, {@code onErrorResume} never passes it on. Here, the replacement is looked for when the
 * source has been subscribed to. The source must call {@code onSubscribe} at once.
 */
final class SwitchFlux<T> extends Flux<T> {
  private final Flux<T> source;
  private final Mono<Flux<T>> replacement;

  /**
   * Creates the flux.
   *
   * @param replacement subscribed to after the source; if it is empty, the flux completes with it
   */
  SwitchFlux(Flux<T> source, Mono<Flux<T>> replacement) {
    this.source = source;
    this.replacement = replacement;
  }

  @Override
  public void subscribe(CoreSubscriber<? super T> actual) {
    Sinks.Empty<Void> subscribed = Sinks.empty();
    AtomicReference<Flux<T>> next = new AtomicReference<>(Flux.empty());
    Mono<Void> known =
        replacement.onErrorResume(e -> Mono.just(Flux.error(e))).doOnNext(next::set).then();
    source
        .takeUntilOther(subscribed.asMono().then(known))
        .concatWith(Flux.defer(next::get))
        .subscribe(actual);
    subscribed.tryEmitEmpty();
  }
}
