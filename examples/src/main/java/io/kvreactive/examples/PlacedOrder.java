package io.kvreactive.examples;

/**
 * An order.
 *
 * @param customer the partition key: changes of one customer's orders are handled in their order
 */
public record PlacedOrder(String id, String customer, int cents, Status status) {
  /** The states of an order, each set by one part of the system. */
  public enum Status {
    PLACED,
    PAID,
    SHIPPED
  }

  PlacedOrder with(Status next) {
    return new PlacedOrder(id, customer, cents, next);
  }
}
