package io.kvreactive.examples.orders;

import io.kvreactive.KvError;
import io.kvreactive.Versionstamp;
import io.kvreactive.examples.orders.PlacedOrder.Status;
import io.kvreactive.index.ChangeFeedOptions;
import io.kvreactive.index.ChangeProcessor;
import io.kvreactive.index.ChangeProcessorOptions;
import io.kvreactive.index.CollectionDefinition;
import io.kvreactive.index.DocumentCollection;
import io.kvreactive.index.DocumentStore;
import io.kvreactive.index.IndexErrorCode;
import io.kvreactive.index.Item;
import io.kvreactive.index.ItemChanges;
import io.kvreactive.index.ItemChanges.Change;
import io.kvreactive.index.SqlQuery;
import io.kvreactive.index.WriteOptions;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Orders that go through the hands of two groups: billing writes the invoice of each new order, and
 * shipping ships each paid one. Neither knows the other: both follow the change feed of the orders.
 *
 * <p>A change may be handled twice, so both write in a way that may be repeated: an invoice has the
 * id of its order, and an order advances only if it is as it was when its change was made.
 */
public final class OrderSystem {
  /** The invoice of an order, with the id of the order. */
  public record Invoice(String id, String customer, int cents) {}

  private static final CollectionDefinition BY_CUSTOMER =
      CollectionDefinition.DEFAULT.withPartitionKey("/customer");
  private static final ChangeProcessorOptions FROM_THE_BEGINNING =
      ChangeProcessorOptions.DEFAULT.withSince(Versionstamp.ZERO);

  private final DocumentCollection<PlacedOrder> orders;
  private final DocumentCollection<Invoice> invoices;

  public OrderSystem(DocumentStore store) {
    this.orders = store.collection("orders", PlacedOrder.class, BY_CUSTOMER);
    this.invoices = store.collection("invoices", Invoice.class, BY_CUSTOMER);
  }

  /** Emits the position after which the changes of later orders follow. */
  public Mono<Versionstamp> position() {
    return orders.changePage(ChangeFeedOptions.LATEST, 1).map(page -> page.continuation());
  }

  /** Places orders, many with one commit. Emits the number of orders. */
  public Mono<Long> place(Flux<PlacedOrder> placed) {
    return orders.upsertMany(placed).last().map(progress -> progress.entries());
  }

  /** Returns a member of the group that writes invoices. */
  public ChangeProcessor billing() {
    return processor(
        "billing",
        Status.PLACED,
        order ->
            invoices
                .upsert(
                    new Invoice(
                        order.value().id(), order.value().customer(), order.value().cents()))
                .then(advance(order, Status.PAID)));
  }

  /** Returns a member of the group that ships paid orders. */
  public ChangeProcessor shipping() {
    return processor("shipping", Status.PAID, order -> advance(order, Status.SHIPPED));
  }

  private ChangeProcessor processor(
      String group, Status status, Function<Item<PlacedOrder>, Mono<Void>> handler) {
    return orders.changeProcessor(
        group,
        FROM_THE_BEGINNING,
        commits -> changed(commits).filter(is(status)).concatMap(handler));
  }

  private static Predicate<Item<PlacedOrder>> is(Status status) {
    return order -> order.value().status() == status;
  }

  private static Flux<Item<PlacedOrder>> changed(List<ItemChanges<PlacedOrder>> commits) {
    return Flux.fromIterable(commits)
        .concatMapIterable(ItemChanges::changes)
        .ofType(Change.Upsert.class)
        .map(OrderSystem::item);
  }

  @SuppressWarnings("unchecked") // a change of this collection
  private static Item<PlacedOrder> item(Change.Upsert<?> upsert) {
    return (Item<PlacedOrder>) upsert.item();
  }

  /** Writes the next status, unless the order has changed: then its newest change is handled. */
  private Mono<Void> advance(Item<PlacedOrder> order, Status next) {
    return orders
        .replace(order.value().with(next), WriteOptions.DEFAULT.withIfMatch(order.etag()))
        .onErrorResume(e -> KvError.is(e, IndexErrorCode.ETAG_MISMATCH), changed -> Mono.empty())
        .then();
  }

  /** Emits each order that is shipped after a position, without end. */
  public Flux<PlacedOrder> shipped(Versionstamp since) {
    return orders
        .changeFeed(ChangeFeedOptions.LATEST.withSince(since))
        .concatMap(commit -> changed(List.of(commit)))
        .filter(is(Status.SHIPPED))
        .map(Item::value);
  }

  /** Emits the number of invoices of a customer, and their sum in cents. */
  public Mono<CustomerTotal> total(String customer) {
    return invoices
        .query(
            SqlQuery.of(
                "SELECT COUNT(1) AS invoices, SUM(c.cents) AS cents FROM c"
                    + " WHERE c.customer = @customer",
                Map.of("customer", customer)),
            CustomerTotal.class)
        .next();
  }

  /** The number and sum of the invoices of a customer. */
  public record CustomerTotal(int invoices, long cents) {}
}
