package io.kvreactive.examples.orders;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.kvreactive.documents.PartitionKey;
import org.jspecify.annotations.Nullable;

/**
 * An order. Its country and its customer are the partition key: changes of one customer's orders
 * are handled in their order.
 *
 * @param parcel the number of the parcel that is on its way; null before and after
 * @param delivered the number of the parcel that was delivered; null before
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record PlacedOrder(
    String id,
    String country,
    String customer,
    String goods,
    int cents,
    Status status,
    @Nullable String parcel,
    @Nullable String delivered) {

  /** The states of an order, each set by one part of the system. */
  public enum Status {
    PLACED,
    PAID,
    SHIPPED,
    ARCHIVED,
    CANCELLED
  }

  /** Returns a new order. */
  public static PlacedOrder of(String id, Customer customer, String goods, int cents) {
    return new PlacedOrder(
        id, customer.country(), customer.name(), goods, cents, Status.PLACED, null, null);
  }

  PlacedOrder shipped(String number) {
    return new PlacedOrder(id, country, customer, goods, cents, Status.SHIPPED, number, delivered);
  }

  PartitionKey partition() {
    return PartitionKey.of(country, customer);
  }
}
