package io.kvreactive.examples;

import io.kvreactive.examples.run.Launcher;
import io.kvreactive.examples.run.Screen;
import io.kvreactive.examples.run.Size;
import io.kvreactive.index.ChangeProcessor;
import io.kvreactive.index.DocumentStore;
import java.util.List;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Shows an order system whose parts follow the change feed of a collection: billing, and shipping
 * with two members that share the work. Stopped and started again, both continue where they were.
 * With {@code --url http://...} the collections are those of a server, and nothing else differs.
 */
public final class OrdersExample {
  private static final List<String> CUSTOMERS = List.of("ada", "bob", "eve", "joe");

  private final OrderSystem system;
  private final Screen screen;

  private OrdersExample(OrderSystem system, Screen screen) {
    this.system = system;
    this.screen = screen;
  }

  public static void main(String[] args) {
    Integer status =
        new Launcher("orders", Screen.standard())
            .runOnCollections(args, System.getenv(), new Size("orders", 1000), OrdersExample::run)
            .block();
    System.exit(status == null ? 1 : status);
  }

  /** Runs the example. Orders of earlier runs stay as they are. */
  static Mono<Void> run(DocumentStore store, Screen screen, int orders) {
    return new OrdersExample(new OrderSystem(store), screen).process(orders);
  }

  private Mono<Void> process(int count) {
    List<ChangeProcessor> members = List.of(system.billing(), system.shipping(), system.shipping());
    return Mono.usingWhen(
            Mono.just(members),
            all ->
                Flux.fromIterable(all)
                    .concatMap(ChangeProcessor::start)
                    .then(system.position())
                    .flatMap(
                        position ->
                            place(position.version(), count)
                                .then(system.shipped(position).take(count).count())),
            all -> Flux.fromIterable(all).concatMap(ChangeProcessor::close).then())
        .doOnNext(shipped -> screen.line("%d orders shipped by 2 members", shipped))
        .then(totals());
  }

  /**
   * Places orders.
   *
   * @param run a number that no other run has
   */
  private Mono<Long> place(long run, int count) {
    Flux<PlacedOrder> placed =
        Flux.range(0, count)
            .map(
                i ->
                    new PlacedOrder(
                        run + "-" + i,
                        CUSTOMERS.get(i % CUSTOMERS.size()),
                        1000 + i,
                        PlacedOrder.Status.PLACED));
    return system.place(placed).doOnNext(all -> screen.line("%d orders placed", all));
  }

  private Mono<Void> totals() {
    return Flux.fromIterable(CUSTOMERS)
        .concatMap(
            customer ->
                system
                    .total(customer)
                    .doOnNext(
                        total ->
                            screen.line(
                                "%s has %d invoices of %.2f together, %d of them large",
                                customer, total.invoices(), total.cents() / 100.0, total.large())))
        .then();
  }
}
