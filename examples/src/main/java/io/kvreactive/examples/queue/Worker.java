package io.kvreactive.examples.queue;

import io.kvreactive.Kv;
import io.kvreactive.KvMessage;
import io.kvreactive.QueueOptions;
import io.kvreactive.examples.run.Screen;
import java.time.Duration;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Has orders paid as their messages come. Workers of one queue share it without knowing each other.
 *
 * @param name shown
 * @param atATime how many orders it works at; it is sent no more messages than that
 */
public record Worker(String name, Kv kv, OrderBook book, Screen screen, int atATime) {
  private static final Duration PAYMENT = Duration.ofMillis(20);

  /** Emits for each message how many orders it has settled: one, or none. */
  public Flux<Long> run() {
    return kv.listenQueue(Integer.class, QueueOptions.of(OrderBook.ORDERS))
        .flatMap(this::handle, atATime);
  }

  /** Settles first and acks then: a crash in between has the message come again. */
  private Mono<Long> handle(KvMessage<Integer> message) {
    return pay(message)
        .doOnNext(order -> tell(message, "is paid"))
        .flux()
        .count()
        .flatMap(settled -> message.ack().thenReturn(settled))
        .onErrorResume(Declined.class, declined -> declined(message));
  }

  /** Some payments fail once or twice; every tenth, from the third on, always does. */
  private Mono<QueuedOrder> pay(KvMessage<Integer> message) {
    int number = message.required();
    boolean fails = number % 10 == 3 || message.attempt() <= number % 3 && number % 2 == 0;
    return Mono.delay(PAYMENT).then(fails ? Mono.error(new Declined(number)) : book.pay(number));
  }

  private Mono<Long> declined(KvMessage<Integer> message) {
    tell(message, message.lastAttempt() ? "is declined; given up" : "is declined; again later");
    return message.nack().thenReturn(0L);
  }

  private void tell(KvMessage<Integer> message, String what) {
    screen.line("  %s, attempt %d: order %d %s", name, message.attempt(), message.required(), what);
  }
}
