package io.kvreactive.examples.queue;

import io.kvreactive.Kv;
import io.kvreactive.KvMessage;
import io.kvreactive.QueueOptions;
import io.kvreactive.examples.run.Screen;
import java.time.Duration;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Pays the orders of a queue. Several workers share the queue without knowing each other.
 *
 * @param name the name of the worker, for output
 * @param atATime the number of concurrent orders, which is also the number of requested messages
 */
public record Worker(String name, Kv kv, OrderBook book, Screen screen, int atATime) {
  private static final Duration PAYMENT = Duration.ofMillis(20);

  /** Emits the number of orders that each message has settled, one or none. Does not complete. */
  public Flux<Long> run() {
    return kv.queues()
        .listen(Integer.class, QueueOptions.of(OrderBook.ORDERS))
        .flatMap(this::handle, atATime);
  }

  /**
   * Settles the order and then acknowledges the message. After a crash in between, the message is
   * delivered again.
   */
  private Mono<Long> handle(KvMessage<Integer> message) {
    return pay(message)
        .doOnNext(order -> tell(message, "is paid"))
        .flux()
        .count()
        .flatMap(settled -> message.ack().thenReturn(settled))
        .onErrorResume(Declined.class, declined -> declined(message));
  }

  /**
   * Simulates a payment. Some payments fail once or twice; every tenth one, from the third on,
   * always fails.
   */
  private Mono<QueuedOrder> pay(KvMessage<Integer> message) {
    int number = message.required();
    boolean fails = number % 10 == 3 || message.attempt() <= number % 3 && number % 2 == 0;
    return Mono.delay(PAYMENT).then(fails ? Mono.error(new Declined(number)) : book.pay(number));
  }

  private Mono<Long> declined(KvMessage<Integer> message) {
    tell(message, message.lastAttempt() ? "was declined; given up" : "was declined; to be retried");
    return message.nack().thenReturn(0L);
  }

  private void tell(KvMessage<Integer> message, String what) {
    screen.line("  %s, attempt %d: order %d %s", name, message.attempt(), message.required(), what);
  }
}
