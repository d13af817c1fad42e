package io.kvreactive.internal.api;

import io.kvreactive.KvError;
import io.kvreactive.KvException;
import io.kvreactive.KvMessage;
import java.time.Duration;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/**
 * Runs a handler for each message. Acks the message if the handler completes and nacks it if the
 * handler fails, unless the handler has finished the message itself.
 */
final class QueueHandler<T> {
  private static final Logger LOG = LoggerFactory.getLogger(QueueHandler.class);
  private static final Retry UNTIL_POSSIBLE =
      Retry.fixedDelay(Long.MAX_VALUE, Duration.ofSeconds(1)).filter(KvError::isRetryable);

  private final Function<? super KvMessage<T>, ? extends Publisher<?>> handler;

  QueueHandler(Function<? super KvMessage<T>, ? extends Publisher<?>> handler) {
    this.handler = handler;
  }

  Mono<Void> run(Flux<KvMessage<T>> messages, int concurrency) {
    return messages.flatMap(this::handle, concurrency, 1).then();
  }

  private Mono<Void> handle(KvMessage<T> message) {
    return Flux.defer(() -> Flux.<Object>from(handler.apply(message)))
        .then(Mono.just(true))
        .onErrorResume(failure -> failed(message, failure))
        .flatMap(
            handled ->
                message instanceof DeliveredMessage<T> delivered && delivered.isBeingFinished()
                    ? Mono.empty() // the handler has finished it itself
                    : finish(handled ? message.ack() : message.nack(), message));
  }

  private Mono<Boolean> failed(KvMessage<T> message, Throwable failure) {
    LOG.warn("handling {} of queue \"{}\" failed: {}", message.id(), message.queue(), failure);
    LOG.debug("the handler failed", failure);
    return Mono.just(false);
  }

  /** Finishes a message. A failure is logged, and other messages continue. */
  private Mono<Void> finish(Mono<Void> finishing, KvMessage<T> message) {
    return finishing
        .retryWhen(UNTIL_POSSIBLE)
        .onErrorResume(
            KvException.class,
            e -> {
              LOG.warn("message {} is delivered again: {}", message.id(), e.toString());
              LOG.debug("finishing the message failed", e);
              if (message instanceof DeliveredMessage<T> delivered) {
                // otherwise the lease would be extended for a handler that has ended
                delivered.leave();
              }
              return Mono.empty();
            });
  }
}
