package io.kvreactive.examples.queue;

import io.kvreactive.CommitResult;
import io.kvreactive.EnqueueOptions;
import io.kvreactive.Kv;
import io.kvreactive.KvEntry;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.KvTransaction;
import io.kvreactive.examples.queue.QueuedOrder.State;
import java.time.Duration;
import java.util.function.Consumer;
import reactor.core.publisher.Mono;

/**
 * Orders, with messages for the next step of each order. An order and the message for its next step
 * change in one commit, so neither exists without the other. A message may be delivered twice;
 * therefore each step checks the order's state and does nothing if the step was taken already.
 */
public final class OrderBook {
  /** The queue of the numbers of orders to be paid. */
  public static final String ORDERS = "orders";

  /** The queue of the numbers of orders to send thanks for. */
  public static final String LETTERS = "letters";

  private static final Duration[] BACKOFF = {Duration.ofMillis(50), Duration.ofMillis(200)};
  private static final Duration LETTER_DELAY = Duration.ofSeconds(2);

  private final Kv kv;
  private final KvKey root;

  public OrderBook(Kv kv, KvKey root) {
    this.kv = kv;
    this.root = root;
  }

  public KvRange orders() {
    return KvRange.prefix(root.append("orders"));
  }

  /** Returns the range of the orders whose payment was given up. */
  public KvRange undelivered() {
    return KvRange.prefix(root.append("undelivered"));
  }

  /** Returns the key of the number of orders that are neither paid nor failed. */
  public KvKey openOrders() {
    return root.append("open_orders");
  }

  /** Returns the key of the number of letters to be sent. */
  public KvKey unsentLetters() {
    return root.append("unsent_letters");
  }

  private KvKey order(int number) {
    return root.append("orders", number);
  }

  private KvKey undelivered(int number) {
    return root.append("undelivered", number);
  }

  /** Stores an order together with the message for its payment. */
  public Mono<CommitResult> place(int number, int cents) {
    EnqueueOptions payment =
        EnqueueOptions.to(ORDERS).withBackoff(BACKOFF).withKeysIfUndelivered(undelivered(number));
    return Mono.defer(
        () ->
            kv.atomic()
                .set(order(number), new QueuedOrder(number, cents, State.PLACED))
                .sum(openOrders(), 1)
                .enqueue(number, payment)
                .commit());
  }

  /** Marks an order as paid and emits it; empty if it was paid or has failed already. */
  public Mono<QueuedOrder> pay(int number) {
    EnqueueOptions later = EnqueueOptions.to(LETTERS).withDelay(LETTER_DELAY);
    return step(
        number,
        State.PLACED,
        State.PAID,
        tx -> tx.sum(openOrders(), -1).sum(unsentLetters(), 1).enqueue(number, later));
  }

  /** Marks an order as thanked for and emits it; empty if that was done already. */
  public Mono<QueuedOrder> thank(int number) {
    return step(number, State.PAID, State.THANKED, tx -> tx.sum(unsentLetters(), -1));
  }

  /** Marks an order as failed and emits it; empty if it was paid or has failed already. */
  public Mono<QueuedOrder> fail(int number) {
    return step(
        number,
        State.PLACED,
        State.FAILED,
        tx -> tx.sum(openOrders(), -1).delete(undelivered(number)));
  }

  private Mono<QueuedOrder> step(int number, State from, State to, Consumer<KvTransaction> change) {
    return kv.transact(
        tx ->
            tx.get(order(number), QueuedOrder.class)
                .mapNotNull(KvEntry::value)
                .filter(order -> order.state() == from)
                .map(order -> order.withState(to))
                .doOnNext(order -> change.accept(tx.set(order(number), order))));
  }
}
