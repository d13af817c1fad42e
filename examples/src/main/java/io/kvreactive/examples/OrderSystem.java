package io.kvreactive.examples;

import io.kvreactive.KvError;
import io.kvreactive.Versionstamp;
import io.kvreactive.examples.PlacedOrder.Status;
import io.kvreactive.index.ChangeFeedOptions;
import io.kvreactive.index.ChangeProcessor;
import io.kvreactive.index.ChangeProcessorOptions;
import io.kvreactive.index.CollectionDefinition;
import io.kvreactive.index.ComputedProperty;
import io.kvreactive.index.DocumentCollection;
import io.kvreactive.index.DocumentStore;
import io.kvreactive.index.IndexErrorCode;
import io.kvreactive.index.IndexingPolicy;
import io.kvreactive.index.Item;
import io.kvreactive.index.ItemChanges;
import io.kvreactive.index.ItemChanges.Change;
import io.kvreactive.index.PartitionKey;
import io.kvreactive.index.PatchOperation;
import io.kvreactive.index.QueryOptions;
import io.kvreactive.index.SqlQuery;
import io.kvreactive.index.TransactionalBatch;
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
 * <p>A change may be handled twice, so both write in a way that may be repeated. An invoice has the
 * id of its order, and is created in one batch with the change of the customer's balance: a second
 * batch fails, as the invoice exists. An order advances only if it is unchanged since the change
 * that the follower handles.
 */
public final class OrderSystem {
  /** The invoice of an order, with the id of the order. */
  public record Invoice(String id, String customer, long cents) {}

  private static final CollectionDefinition BY_CUSTOMER =
      CollectionDefinition.DEFAULT.withPartitionKey("/customer");

  /** The id of the ledger's item with the sum of a customer's invoices. */
  private static final String BALANCE = "balance";

  private static final CollectionDefinition LEDGER =
      BY_CUSTOMER
          .withComputedProperties(
              new ComputedProperty("isLarge", "SELECT VALUE c.cents >= 1010 FROM c"))
          .withIndexingPolicy(IndexingPolicy.DEFAULT.withIncluded("/isLarge/?"));
  private static final ChangeProcessorOptions FROM_THE_BEGINNING =
      ChangeProcessorOptions.DEFAULT.withSince(Versionstamp.ZERO);

  private final DocumentCollection<PlacedOrder> orders;
  private final DocumentCollection<Invoice> ledger; // invoices and balances

  public OrderSystem(DocumentStore store) {
    this.orders = store.collection("orders", PlacedOrder.class, BY_CUSTOMER);
    this.ledger = store.collection("ledger", Invoice.class, LEDGER);
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
        "billing", Status.PLACED, order -> bill(order.value()).then(advance(order, Status.PAID)));
  }

  /** Creates the invoice of an order and adds it to the customer's balance, unless it exists. */
  private Mono<Void> bill(PlacedOrder order) {
    Invoice invoice = new Invoice(order.id(), order.customer(), order.cents());
    return ledger
        .execute(
            TransactionalBatch.of(PartitionKey.of(order.customer()))
                .create(invoice)
                .patch(BALANCE, new PatchOperation.Increment("/cents", order.cents())))
        .onErrorResume(
            e -> KvError.is(e, IndexErrorCode.ITEM_NOT_FOUND), // the customer's first invoice
            e ->
                ledger
                    .create(new Invoice(BALANCE, order.customer(), 0))
                    .onErrorComplete(raced -> KvError.is(raced, IndexErrorCode.ITEM_EXISTS))
                    .then(Mono.defer(() -> bill(order)))
                    .then(Mono.empty()))
        .onErrorComplete(e -> KvError.is(e, IndexErrorCode.ITEM_EXISTS)) // it is handled again
        .then();
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

  /** Emits the numbers of invoices and of large invoices of a customer, and the balance. */
  public Mono<CustomerTotal> total(String customer) {
    PartitionKey partition = PartitionKey.of(customer);
    SqlQuery counts =
        SqlQuery.of(
                "SELECT COUNT(1) AS invoices, COUNTIF(c.isLarge) AS large FROM c"
                    + " WHERE c.id != @balance",
                Map.of("balance", BALANCE))
            .withOptions(QueryOptions.DEFAULT.withPartitionKey(partition));
    return ledger
        .query(counts, InvoiceCounts.class)
        .next()
        .zipWith(ledger.read(BALANCE, partition))
        .map(
            read ->
                new CustomerTotal(
                    read.getT1().invoices(), read.getT1().large(), read.getT2().value().cents()));
  }

  private record InvoiceCounts(int invoices, int large) {}

  /** The invoices of a customer and their sum, which billing keeps up to date. */
  public record CustomerTotal(int invoices, int large, long cents) {}
}
