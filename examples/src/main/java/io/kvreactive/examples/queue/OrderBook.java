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
 * Orders and what is to be done for them. An order changes in one commit with the message that says
 * what comes next, so neither is there without the other. A message may be delivered twice; so each
 * step looks at the order's state, and does nothing when it has been taken already.
 */
public final class OrderBook {
  /** Queue of the numbers of orders to be paid. */
  public static final String ORDERS = "orders";

  /** Queue of the numbers of orders to send thanks for. */
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

  /** Where orders end whose payment was given up. */
  public KvRange undelivered() {
    return KvRange.prefix(root.append("undelivered"));
  }

  /** Holds how many orders are neither paid nor failed. */
  public KvKey openOrders() {
    return root.append("open_orders");
  }

  /** Holds how many letters are to be sent. */
  public KvKey unsentLetters() {
    return root.append("unsent_letters");
  }

  private KvKey order(int number) {
    return root.append("orders", number);
  }

  private KvKey undelivered(int number) {
    return root.append("undelivered", number);
  }

  /** Stores an order together with the message to have it paid. */
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

  /** Emits the order as paid; empty when it was not to be paid any more. */
  public Mono<QueuedOrder> pay(int number) {
    EnqueueOptions later = EnqueueOptions.to(LETTERS).withDelay(LETTER_DELAY);
    return step(
        number,
        State.PLACED,
        State.PAID,
        tx -> tx.sum(openOrders(), -1).sum(unsentLetters(), 1).enqueue(number, later));
  }

  /** Emits the order as thanked for; empty when it was before. */
  public Mono<QueuedOrder> thank(int number) {
    return step(number, State.PAID, State.THANKED, tx -> tx.sum(unsentLetters(), -1));
  }

  /** Emits the order as failed; empty when it was before. */
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
