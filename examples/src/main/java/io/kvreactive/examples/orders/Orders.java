package io.kvreactive.examples.orders;

import io.kvreactive.KvError;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.ChangeFeedOptions;
import io.kvreactive.documents.ChangePage;
import io.kvreactive.documents.ChangeProcessor;
import io.kvreactive.documents.ChangeProcessorOptions;
import io.kvreactive.documents.DeleteProgress;
import io.kvreactive.documents.DocumentCollection;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentStore;
import io.kvreactive.documents.Item;
import io.kvreactive.documents.ItemChanges;
import io.kvreactive.documents.ItemChanges.Change;
import io.kvreactive.documents.PartitionKey;
import io.kvreactive.documents.PatchOperation;
import io.kvreactive.documents.PatchOptions;
import io.kvreactive.documents.QueryOptions;
import io.kvreactive.documents.QueryUpdate;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.documents.WriteOptions;
import io.kvreactive.examples.orders.PlacedOrder.Status;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The orders. Those of a customer are one partition, and those of a country are found by the first
 * value of the partition key. Every step of an order is conditional, so it may be repeated.
 */
public final class Orders {
  private static final SqlQuery OPEN =
      SqlQuery.of("SELECT c.id FROM c WHERE c.status IN ('PLACED', 'PAID')");
  private static final SqlQuery SHIPPED = SqlQuery.of("SELECT * FROM c WHERE c.status = 'SHIPPED'");
  private static final SqlQuery CANCELLED =
      SqlQuery.of("SELECT * FROM c WHERE c.status = 'CANCELLED'");
  private static final ChangeProcessorOptions FROM_THE_BEGINNING =
      ChangeProcessorOptions.DEFAULT.withSince(Versionstamp.ZERO);
  private static final int PAGE = 1000;
  private static final int PATCHES_AT_A_TIME = 16;

  private final DocumentCollection<PlacedOrder> orders;

  public Orders(DocumentStore store) {
    this.orders = store.collection("orders", PlacedOrder.class, Customer.PARTITIONED);
  }

  /** Returns the stored orders. */
  DocumentCollection<PlacedOrder> collection() {
    return orders;
  }

  // Steps of an order

  /** Places orders, many with one commit. Emits the number of orders. */
  public Mono<Long> place(Flux<PlacedOrder> placed) {
    return orders.upsertMany(placed).last().map(progress -> progress.entries());
  }

  /** Marks an order as paid or cancelled, unless that was decided already. */
  Mono<Void> decide(PlacedOrder order, Status decision) {
    return orders
        .patch(
            order.id(),
            order.partition(),
            List.of(new PatchOperation.Set("/status", decision)),
            PatchOptions.filter("c.status = 'PLACED'"))
        .onErrorComplete(Orders::isElsewhere)
        .then();
  }

  /** Writes the number of the parcel, unless the order has changed since it was read. */
  Mono<Void> ship(Item<PlacedOrder> order, String parcel) {
    return orders
        .replace(order.value().shipped(parcel), WriteOptions.DEFAULT.withIfMatch(order.etag()))
        .onErrorComplete(e -> KvError.is(e, DocumentErrorCode.ETAG_MISMATCH) || isElsewhere(e))
        .then();
  }

  /** Archives the shipped orders of a country: their parcels are delivered. Emits their number. */
  public Mono<Long> archive(String country) {
    QueryOptions inCountry = QueryOptions.DEFAULT.withPartitionKey(PartitionKey.of(country));
    return orders
        .query(SHIPPED.withOptions(inCountry), PlacedOrder.class)
        .flatMap(this::archive, PATCHES_AT_A_TIME)
        .count();
  }

  private Mono<Item<PlacedOrder>> archive(PlacedOrder order) {
    return orders
        .patch(
            order.id(),
            order.partition(),
            List.of(
                new PatchOperation.Move("/parcel", "/delivered"),
                new PatchOperation.Set("/status", Status.ARCHIVED)),
            PatchOptions.filter("c.status = 'SHIPPED'"))
        .onErrorComplete(Orders::isElsewhere);
  }

  /** Returns true if another member has taken the step, or the order was deleted. */
  private static boolean isElsewhere(Throwable error) {
    return KvError.is(error, DocumentErrorCode.CONDITION_NOT_MET)
        || KvError.is(error, DocumentErrorCode.ITEM_NOT_FOUND);
  }

  // Removal

  /** Deletes all cancelled orders and emits their number. */
  public Mono<Long> deleteCancelled() {
    return orders.deleteMany(CANCELLED).map(DeleteProgress::deleted).last(0L);
  }

  /** Deletes all orders of a customer and emits their number. */
  public Mono<Long> forget(Customer customer) {
    return orders.deleteAll(customer.partition());
  }

  // Observation

  /** Emits the number of orders that are not shipped yet, now and after each change, for ever. */
  public Flux<Integer> open() {
    return Flux.defer(
        () -> {
          Set<String> ids = new HashSet<>();
          return orders
              .watchQuery(OPEN, OrderId.class)
              .doOnNext(update -> apply(update, ids))
              .skipUntil(update -> update instanceof QueryUpdate.Synced)
              .map(update -> ids.size());
        });
  }

  private static void apply(QueryUpdate<OrderId> update, Set<String> ids) {
    if (update instanceof QueryUpdate.Insert<OrderId> insert) {
      ids.add(insert.id());
    } else if (update instanceof QueryUpdate.Remove<OrderId> remove) {
      ids.remove(remove.id());
    }
  }

  private record OrderId(String id) {}

  /** Emits the position after which later changes follow. */
  public Mono<Versionstamp> position() {
    return orders.changePage(ChangeFeedOptions.LATEST, 1).map(ChangePage::continuation);
  }

  /** Emits every change of the orders of a customer between a position and now. */
  public Flux<Change<PlacedOrder>> history(Customer customer, Versionstamp since) {
    ChangeFeedOptions ofCustomer = ChangeFeedOptions.ALL.withPartitionKey(customer.partition());
    return orders
        .changePage(ofCustomer.withSince(since), PAGE)
        .expand(
            page ->
                page.hasMore()
                    ? orders.changePage(ofCustomer.withSince(page.continuation()), PAGE)
                    : Mono.empty())
        .concatMapIterable(ChangePage::commits)
        .concatMapIterable(ItemChanges::changes);
  }

  /**
   * Returns a member of a group that handles the orders of one status. It receives the latest
   * version of an order only.
   */
  ChangeProcessor follow(
      String group, Status status, Function<Item<PlacedOrder>, Mono<Void>> handler) {
    return orders.changeProcessor(
        group,
        FROM_THE_BEGINNING,
        commits ->
            Flux.fromIterable(commits)
                .concatMapIterable(ItemChanges::changes)
                .ofType(Change.Upsert.class)
                .map(Orders::item)
                .filter(order -> order.value().status() == status)
                .concatMap(handler));
  }

  @SuppressWarnings("unchecked") // a change of this collection
  private static Item<PlacedOrder> item(Change.Upsert<?> upsert) {
    return (Item<PlacedOrder>) upsert.item();
  }

  /** Returns a member of a group that handles every version of the orders, and every delete. */
  ChangeProcessor followAll(
      String group, Function<List<ItemChanges<PlacedOrder>>, Publisher<?>> handler) {
    return orders.changeProcessor(
        group, FROM_THE_BEGINNING.withMode(ChangeFeedOptions.Mode.ALL), handler);
  }
}
