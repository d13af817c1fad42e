package io.kvreactive.internal.api;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvMessage;
import io.kvreactive.KvType;
import io.kvreactive.QueueOptions;
import io.kvreactive.internal.shared.SubscriberContext;
import io.kvreactive.internal.value.ValueMapper;
import io.kvreactive.spi.Finish;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.LeasedMessage;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The messages of a queue, claimed on demand.
 *
 * @param <T> type of their values
 */
final class QueueFlux<T> extends Flux<KvMessage<T>> {
  private static final Logger LOG = LoggerFactory.getLogger(QueueFlux.class);

  final KvEngine engine;
  final SubscriberContext subscriberContext;
  final QueueOptions options;
  private final ValueMapper values;
  private final KvType<T> type;
  private final Mono<Void> closed;

  /**
   * Creates a publisher of messages.
   *
   * @param closed completes when the handle is closed
   */
  QueueFlux(
      KvEngine engine,
      SubscriberContext subscriberContext,
      ValueMapper values,
      KvType<T> type,
      QueueOptions options,
      Mono<Void> closed) {
    this.engine = engine;
    this.subscriberContext = subscriberContext;
    this.values = values;
    this.type = type;
    this.options = options;
    this.closed = closed;
  }

  @Override
  public void subscribe(CoreSubscriber<? super KvMessage<T>> actual) {
    QueueSubscription<T> subscription =
        new QueueSubscription<>(this, actual, subscriberContext.forSubscriber());
    subscription.subscribe();
    subscription.completeWith(closed);
    Publisher<?> stopWhen = options.stopWhen();
    if (stopWhen != null) {
      subscription.stopWith(stopWhen);
    }
  }

  /**
   * Returns the message for the subscriber, or null if its value cannot be read; the message is
   * then nacked and logged.
   */
  @Nullable DeliveredMessage<T> decode(LeasedMessage leased, QueueSubscription<T> subscription) {
    try {
      return new DeliveredMessage<>(leased, value(leased), subscription);
    } catch (KvException e) {
      LOG.warn(
          "message {} of queue \"{}\" cannot be read as {} and is nacked, attempt {}",
          leased.token().id(),
          leased.token().queue(),
          type,
          leased.attempt(),
          e);
      engine
          .finish(leased.token(), new Finish.Retry(null))
          .subscribe(ignored -> {}, failure -> LOG.debug("nacking failed", failure));
      return null;
    }
  }

  @SuppressWarnings("unchecked") // decode returns a value of that type
  private @Nullable T value(LeasedMessage leased) {
    try {
      return (T) values.decode(leased.payload(), type.type());
    } catch (KvException e) {
      throw e;
    } catch (RuntimeException e) { // such as from a constructor of the user's type
      throw new KvException(KvErrorCode.UNREADABLE_VALUE, "value: " + e, e);
    }
  }
}
