package io.kvreactive.examples.orders;

import io.kvreactive.documents.ChangeProcessor;
import io.kvreactive.examples.orders.PlacedOrder.Status;

/**
 * The groups that take orders to their next step: billing charges each new order, and shipping
 * sends each paid one. Neither knows the other: both follow the change feed of the orders.
 *
 * <p>A change may be handled twice, so the steps may be repeated: the ledger remembers its decision
 * about an order, and an order is changed only if it is still in the state before the step.
 */
public final class OrderConsumers {
  private final Orders orders;
  private final OrderLedger ledger;

  public OrderConsumers(Orders orders, OrderLedger ledger) {
    this.orders = orders;
    this.ledger = ledger;
  }

  /** Returns a member of the group that charges new orders, and cancels those without credit. */
  public ChangeProcessor billing() {
    return orders.follow(
        "billing",
        Status.PLACED,
        order ->
            ledger
                .charge(order.value())
                .map(paid -> paid ? Status.PAID : Status.CANCELLED)
                .flatMap(decision -> orders.decide(order.value(), decision)));
  }

  /** Returns a member of the group that ships paid orders. */
  public ChangeProcessor shipping() {
    return orders.follow(
        "shipping", Status.PAID, order -> orders.ship(order, "parcel-" + order.id()));
  }
}
