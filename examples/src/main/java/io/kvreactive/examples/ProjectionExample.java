package io.kvreactive.examples;

import io.kvreactive.AtomicOperation;
import io.kvreactive.Kv;
import io.kvreactive.KvEntry;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.KvU64;
import io.kvreactive.ListOptions;
import io.kvreactive.Versionstamp;
import io.kvreactive.examples.run.Launcher;
import io.kvreactive.examples.run.Screen;
import io.kvreactive.examples.run.Size;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Shows totals per customer that follow the orders, and are stopped and resumed. Each run continues
 * where the previous run has stopped.
 */
public final class ProjectionExample {
  private static final KvKey ROOT = KvKey.of("projection example");
  private static final KvKey ORDERS = ROOT.append("orders"); // with a versionstamp: an order
  private static final String[] CUSTOMERS = {"Ada", "Alan", "Barbara", "Edsger", "Grace", "Ken"};
  private static final int CANCELLED = 3;

  private final Kv kv;
  private final Projection projection;
  private final Screen screen;
  private final Random random = new Random();

  private ProjectionExample(Kv kv, Screen screen) {
    this.kv = kv;
    this.projection = new Projection(kv, KvRange.prefix(ORDERS), ROOT.append("projection"));
    this.screen = screen;
  }

  public static void main(String[] args) {
    Integer status =
        launcher(Screen.standard())
            .run(args, new Size("orders", 200), ProjectionExample::run)
            .block();
    System.exit(status == null ? 1 : status);
  }

  static Launcher launcher(Screen screen) {
    return new Launcher("projection", screen, options -> options.withOldValues(true));
  }

  /**
   * Runs the example.
   *
   * @param orders the number of orders in each of two parts
   */
  static Mono<Void> run(Kv kv, Screen screen, int orders) {
    ProjectionExample example = new ProjectionExample(kv, screen);
    return example
        .begin()
        .then(example.place(orders))
        .then(example.stopAfter(Math.max(1, orders / 2)))
        .then(example.place(orders))
        .then(example.cancel())
        .flatMap(example::resumeUntil)
        .then(example.compare());
  }

  /** Builds the totals in the first run, which has no position to continue from. */
  private Mono<Void> begin() {
    Mono<Versionstamp> begun =
        projection
            .run()
            .next()
            .doOnNext(place -> screen.line("started with all orders at %s", place));
    return projection
        .reached()
        .doOnNext(place -> screen.line("an earlier run has reached %s", place))
        .switchIfEmpty(begun)
        .then();
  }

  /** Places orders of random customers, each in a commit of its own. */
  private Mono<Void> place(int count) {
    return Flux.range(0, count)
        .map(i -> new Order(CUSTOMERS[random.nextInt(CUSTOMERS.length)], random.nextInt(10_000)))
        .flatMap(order -> kv.atomic().setVersionstamped(ORDERS, order).commit(), 16)
        .then(kv.count(KvRange.prefix(ORDERS)))
        .doOnNext(all -> screen.line("%d orders placed, %d in all", count, all))
        .then();
  }

  /** Applies some of the changes and stops. */
  private Mono<Void> stopAfter(int steps) {
    return projection
        .run()
        .take(steps)
        .last()
        .doOnNext(place -> screen.line("stopped at %s", place))
        .then();
  }

  /**
   * Doubles the newest order and deletes those before it, in one commit. Emits the versionstamp.
   */
  private Mono<Versionstamp> cancel() {
    ListOptions fromTheEnd = ListOptions.DEFAULT.withReverse(true).withLimit(CANCELLED + 1);
    return kv.list(KvRange.prefix(ORDERS), fromTheEnd, Order.class)
        .collectList()
        .flatMap(
            orders -> {
              AtomicOperation operation = kv.atomic().check(orders);
              orders.stream().skip(1).forEach(order -> operation.delete(order.key()));
              KvEntry<Order> newest = orders.get(0);
              Order order = newest.required();
              return operation
                  .set(newest.key(), new Order(order.customer(), 2 * order.cents()))
                  .commit();
            })
        .mapNotNull(result -> result.versionstamp())
        .doOnNext(stamp -> screen.line("deleted some orders and doubled one at %s", stamp));
  }

  private Mono<Void> resumeUntil(Versionstamp last) {
    return projection
        .run()
        .takeUntil(place -> place.compareTo(last) >= 0)
        .count()
        .doOnNext(steps -> screen.line("resumed, and applied %d commits", steps))
        .then();
  }

  /** Counts all orders and compares the result with the totals. */
  private Mono<Void> compare() {
    Mono<Map<String, Long>> recount =
        kv.list(KvRange.prefix(ORDERS), Order.class)
            .map(KvEntry::required)
            .collect(
                TreeMap::new,
                (sums, order) -> sums.merge(order.customer(), (long) order.cents(), Long::sum));
    Mono<Map<String, Long>> totals =
        kv.list(projection.totals(), KvU64.class)
            .collect(
                TreeMap::new,
                (map, total) ->
                    map.put(
                        total.key().stringAt(total.key().size() - 1),
                        total.required().longValueExact()));
    return Mono.zip(totals, recount)
        .doOnNext(
            both -> both.getT1().forEach((name, sum) -> screen.line("  %-8s %,9d", name, sum)))
        .doOnNext(
            both ->
                screen.line(
                    "a recount of all orders %s",
                    both.getT1().equals(both.getT2())
                        ? "gives the same totals"
                        : "GIVES OTHER TOTALS"))
        .then();
  }
}
