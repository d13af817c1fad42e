package io.kvreactive.examples.orders;

import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.PartitionKey;

/** A customer. Everything that is stored about a customer is in one partition of a collection. */
public record Customer(String country, String name) {
  /** A collection with the partition key of customers: first the country, then the name. */
  static final CollectionDefinition PARTITIONED =
      CollectionDefinition.DEFAULT.withPartitionKey("/country", "/customer");

  /** Returns the partition key of the items of this customer. */
  public PartitionKey partition() {
    return PartitionKey.of(country, name);
  }
}
