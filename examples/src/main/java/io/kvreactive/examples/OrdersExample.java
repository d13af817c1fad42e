package io.kvreactive.examples;

import io.kvreactive.Versionstamp;
import io.kvreactive.documents.ChangeProcessor;
import io.kvreactive.documents.DocumentStore;
import io.kvreactive.examples.orders.Customer;
import io.kvreactive.examples.orders.OrderAudit;
import io.kvreactive.examples.orders.OrderConsumers;
import io.kvreactive.examples.orders.OrderLedger;
import io.kvreactive.examples.orders.OrderReports;
import io.kvreactive.examples.orders.Orders;
import io.kvreactive.examples.orders.PlacedOrder;
import io.kvreactive.examples.run.Launcher;
import io.kvreactive.examples.run.Screen;
import io.kvreactive.examples.run.Size;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Shows an order system whose parts follow the change feed of a collection: billing, shipping with
 * two members that share the work, and an audit of all versions. Stopped and started again, all
 * continue where they were. With {@code --url http://...} the collections are those of a server,
 * and nothing else differs.
 */
public final class OrdersExample {
  private static final List<Customer> CUSTOMERS =
      List.of(
          new Customer("uk", "ada"),
          new Customer("uk", "bob"),
          new Customer("no", "eve"),
          new Customer("no", "joe"));
  private static final Customer LEAVING = CUSTOMERS.get(3);
  private static final List<String> GOODS =
      List.of("Green tea", "Coffee", "tea pot", "Black tea", "cups");
  private static final long DEPOSIT_PER_ORDER = 1000;

  private final Screen screen;
  private final Orders orders;
  private final OrderLedger ledger;
  private final OrderConsumers consumers;
  private final OrderAudit audit;
  private final OrderReports reports;

  private OrdersExample(DocumentStore store, Screen screen) {
    this.screen = screen;
    this.orders = new Orders(store);
    this.ledger = new OrderLedger(store);
    this.consumers = new OrderConsumers(orders, ledger);
    this.audit = new OrderAudit(store, orders);
    this.reports = new OrderReports(orders);
  }

  public static void main(String[] args) {
    Integer status =
        launcher(Screen.standard())
            .runOnCollections(args, System.getenv(), new Size("orders", 1000), OrdersExample::run)
            .block();
    System.exit(status == null ? 1 : status);
  }

  /** Returns the launcher. A store that it opens itself keeps previous values, for the audit. */
  static Launcher launcher(Screen screen) {
    return new Launcher("orders", screen, options -> options.withOldValues(true));
  }

  /** Runs the example. Orders of earlier runs stay as they are. */
  static Mono<Void> run(DocumentStore store, Screen screen, int orders) {
    return new OrdersExample(store, screen).process(orders);
  }

  private Mono<Void> process(int count) {
    List<ChangeProcessor> members =
        List.of(consumers.billing(), consumers.shipping(), consumers.shipping(), audit.member());
    return Mono.usingWhen(
        Mono.just(members),
        all ->
            Flux.fromIterable(all)
                .concatMap(ChangeProcessor::start)
                .then(orders.position())
                .flatMap(start -> day(start, count)),
        all -> Flux.fromIterable(all).concatMap(ChangeProcessor::close).then());
  }

  private Mono<Void> day(Versionstamp start, int count) {
    return place(start.version(), count)
        .then(orders.open().takeUntil(open -> open == 0).then())
        .then(report())
        .then(settle())
        .then(cleanUp())
        .then(review(start));
  }

  /**
   * Places orders, for which the customers have deposited 10.00 each; the last ones cost more.
   *
   * @param run a number that no other run has
   */
  private Mono<Void> place(long run, int count) {
    Flux<PlacedOrder> placed =
        Flux.range(0, count)
            .map(i -> PlacedOrder.of(run + "-" + i, customerOf(i), goodsOf(i), 1000 + i));
    return Flux.fromIterable(CUSTOMERS)
        .concatMap(
            customer -> ledger.deposit(customer, DEPOSIT_PER_ORDER * ordersOf(customer, count)))
        .then(orders.place(placed))
        .doOnNext(all -> screen.line("%d orders placed", all))
        .then();
  }

  private static long ordersOf(Customer customer, int count) {
    return IntStream.range(0, count).filter(i -> customerOf(i).equals(customer)).count();
  }

  private static Customer customerOf(int order) {
    return CUSTOMERS.get(order % CUSTOMERS.size());
  }

  private static String goodsOf(int order) {
    return GOODS.get(order / CUSTOMERS.size() % GOODS.size());
  }

  private Mono<Void> report() {
    return reports
        .countries()
        .concatMap(
            country ->
                reports
                    .byStatus(country)
                    .doOnNext(
                        total ->
                            screen.line(
                                "%s: %d orders of %.2f %s",
                                country,
                                total.orders(),
                                total.cents() / 100.0,
                                total.status().name().toLowerCase(Locale.ROOT))))
        .then(reports.amounts())
        .doOnNext(
            all -> screen.line("orders of %.2f to %.2f", all.least() / 100.0, all.most() / 100.0))
        .then(Mono.zip(reports.containing("tea"), reports.startingWith("tea")))
        .doOnNext(found -> screen.line("%d with tea, %d tea pots", found.getT1(), found.getT2()))
        .then();
  }

  private Mono<Void> settle() {
    return Flux.fromIterable(CUSTOMERS)
        .concatMap(
            customer ->
                ledger
                    .settle(customer)
                    .zipWith(ledger.totals(customer))
                    .doOnNext(
                        settled ->
                            screen.line(
                                "%s has %d invoices of %.2f together, %d of them large,"
                                    + " and a credit of %.2f",
                                customer.name(),
                                settled.getT2().invoices(),
                                settled.getT2().cents() / 100.0,
                                settled.getT2().large(),
                                settled.getT1() / 100.0)))
        .then();
  }

  /** Archives and deletes what is done; one customer leaves. */
  private Mono<Void> cleanUp() {
    return reports
        .countries()
        .concatMap(orders::archive)
        .reduce(Long::sum)
        .doOnNext(archived -> screen.line("%d orders archived", archived))
        .then(orders.deleteCancelled())
        .doOnNext(deleted -> screen.line("%d cancelled orders deleted", deleted))
        .then(orders.forget(LEAVING))
        .zipWith(ledger.forget(LEAVING))
        .doOnNext(
            deleted ->
                screen.line(
                    "%s has left: %d orders and %d entries of the ledger deleted",
                    LEAVING.name(), deleted.getT1(), deleted.getT2()))
        .then();
  }

  /** Compares what happened to each customer's orders with what the audit has recorded. */
  private Mono<Void> review(Versionstamp start) {
    return Flux.fromIterable(CUSTOMERS)
        .concatMap(
            customer ->
                orders
                    .history(customer, start)
                    .count()
                    .doOnNext(
                        changes ->
                            screen.line(
                                "the orders of %s changed %d times", customer.name(), changes)))
        .reduce(Long::sum)
        .flatMap(changes -> audit.recorded(changes, start).thenReturn(changes))
        .doOnNext(changes -> screen.line("the audit has %d changes", changes))
        .thenMany(audit.deletes(start))
        .sort((a, b) -> described(a).compareTo(described(b)))
        .doOnNext(
            count -> screen.line("%d deleted orders were %s", count.changes(), described(count)))
        .then();
  }

  private static String described(OrderAudit.Count deleted) {
    return deleted.before() == null
        ? "of unknown state: the store does not keep previous values"
        : deleted.before().name().toLowerCase(Locale.ROOT);
  }
}
