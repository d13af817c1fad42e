package io.kvreactive.examples;

import io.kvreactive.Kv;
import io.kvreactive.KvChange;
import io.kvreactive.KvEntry;
import io.kvreactive.KvKey;
import io.kvreactive.KvMessage;
import io.kvreactive.KvU64;
import io.kvreactive.KvUpdate;
import io.kvreactive.QueueOptions;
import io.kvreactive.examples.queue.OrderBook;
import io.kvreactive.examples.queue.QueuedOrder;
import io.kvreactive.examples.queue.Worker;
import io.kvreactive.examples.run.Launcher;
import io.kvreactive.examples.run.Screen;
import io.kvreactive.examples.run.Size;
import java.util.ArrayList;
import java.util.List;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Shows orders that are paid by workers of a queue. Some payments fail and are retried, and one
 * never succeeds. Letters of thanks are sent with a delay, in the next run.
 */
public final class QueueExample {
  private static final KvKey ROOT = KvKey.of("queue example");
  private static final int WORKERS = 2;
  private static final int AT_A_TIME = 3; // concurrent orders per worker

  private final Kv kv;
  private final OrderBook book;
  private final Screen screen;

  private QueueExample(Kv kv, Screen screen) {
    this.kv = kv;
    this.book = new OrderBook(kv, ROOT);
    this.screen = screen;
  }

  public static void main(String[] args) {
    Integer status =
        new Launcher("queue", Screen.standard())
            .run(args, new Size("orders", 12), QueueExample::run)
            .block();
    System.exit(status == null ? 1 : status);
  }

  /** Runs the example. Continues with the messages of an earlier run. */
  static Mono<Void> run(Kv kv, Screen screen, int orders) {
    QueueExample example = new QueueExample(kv, screen);
    return example.sendLetters().then(example.payOrders(orders)).then(example.summary());
  }

  /**
   * Sends the letters of earlier runs. Each is acknowledged before it counts, so the cancel returns
   * none to the queue.
   */
  private Mono<Void> sendLetters() {
    Flux<KvMessage<Integer>> sent =
        kv.queues()
            .listen(Integer.class, QueueOptions.of(OrderBook.LETTERS))
            .flatMap(letter -> thank(letter).then(letter.ack()).thenReturn(letter), AT_A_TIME);
    return number(book.unsentLetters())
        .filter(unsent -> unsent > 0)
        .doOnNext(unsent -> screen.line("%d letters are in the queue since the last run", unsent))
        .flatMap(unsent -> sent.take(unsent).then());
  }

  private Mono<QueuedOrder> thank(KvMessage<Integer> letter) {
    return book.thank(letter.required())
        .doOnNext(order -> screen.line("  thanked for order %d", order.number()));
  }

  /**
   * Places orders and completes when each is paid or has failed. The workers alone would not
   * complete.
   */
  private Mono<Void> payOrders(int orders) {
    Flux<Long> workers =
        Flux.range(1, WORKERS)
            .map(i -> new Worker("worker " + i, kv, book, screen, AT_A_TIME))
            .flatMap(Worker::run);
    return Mono.zip(kv.count(book.orders()), number(book.openOrders()))
        .flatMap(
            before ->
                Flux.merge(workers, undelivered(), place(before.getT1().intValue() + 1, orders))
                    .scan(Long::sum)
                    .takeUntil(settled -> settled == before.getT2() + orders)
                    .then());
  }

  private Flux<Long> place(int first, int count) {
    return Flux.range(first, count)
        .concatMap(number -> book.place(number, 1000 + 10 * number))
        .count()
        .doOnNext(placed -> screen.line("%d orders placed, each with its message", placed))
        .thenMany(Flux.empty());
  }

  /** Emits the orders whose payment was given up, in earlier runs or in this one. */
  private Flux<Long> undelivered() {
    return kv.listAndWatch(book.undelivered(), Integer.class)
        .flatMapIterable(QueueExample::messages)
        .concatMap(book::fail)
        .doOnNext(order -> screen.line("  order %d has failed for good", order.number()))
        .map(order -> 1L);
  }

  private static List<Integer> messages(KvUpdate<Integer> update) {
    List<Integer> messages = new ArrayList<>();
    if (update instanceof KvUpdate.Listed<Integer> listed) {
      messages.add(listed.entry().required());
    } else if (update instanceof KvUpdate.Committed<Integer> committed) {
      for (KvChange<Integer> change : committed.commit().changes()) {
        if (change instanceof KvChange.Set<Integer> set && set.value() != null) {
          messages.add(set.value());
        }
      }
    }
    return messages;
  }

  private Mono<Void> summary() {
    return Mono.zip(kv.count(book.orders()), number(book.unsentLetters()))
        .doOnNext(
            both ->
                screen.line(
                    "%d orders in all; %d letters wait in the queue: run this again",
                    both.getT1(), both.getT2()))
        .then();
  }

  private Mono<Long> number(KvKey counter) {
    return kv.get(counter, KvU64.class)
        .mapNotNull(KvEntry::value)
        .map(KvU64::longValueExact)
        .defaultIfEmpty(0L);
  }
}
