package io.kvreactive.examples.orders;

import io.kvreactive.documents.DocumentCollection;
import io.kvreactive.documents.PartitionKey;
import io.kvreactive.documents.QueryOptions;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.examples.orders.PlacedOrder.Status;
import java.util.Map;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Questions about the orders. */
public final class OrderReports {
  /** The orders of one status. */
  public record StatusTotal(Status status, int orders, long cents) {}

  /** The amounts of the smallest and of the largest order. */
  public record Amounts(int least, int most) {}

  private final DocumentCollection<PlacedOrder> orders;

  public OrderReports(Orders orders) {
    this.orders = orders.collection();
  }

  /** Emits the countries that have orders, in their order. The index answers. */
  public Flux<String> countries() {
    return orders.query(
        SqlQuery.of("SELECT DISTINCT VALUE c.country FROM c ORDER BY c.country"), String.class);
  }

  /** Emits the totals of a country's orders that are done and not archived yet, by status. */
  public Flux<StatusTotal> byStatus(String country) {
    return orders
        .query(
            SqlQuery.of(
                    "SELECT c.status, COUNT(1) AS orders, SUM(c.cents) AS cents FROM c"
                        + " WHERE c.status IN ('SHIPPED', 'CANCELLED') GROUP BY c.status")
                .withOptions(QueryOptions.DEFAULT.withPartitionKey(PartitionKey.of(country))),
            StatusTotal.class)
        .sort((a, b) -> a.status().compareTo(b.status()));
  }

  /** Emits the amounts of the smallest and of the largest order: the two ends of an index. */
  public Mono<Amounts> amounts() {
    return orders
        .query(
            SqlQuery.of("SELECT MIN(c.cents) AS least, MAX(c.cents) AS most FROM c"), Amounts.class)
        .next();
  }

  /** Emits the number of orders whose goods begin with a word. */
  public Mono<Integer> startingWith(String word) {
    return count("c.goods LIKE @pattern", Map.of("pattern", word + "%"));
  }

  /** Emits the number of orders whose goods contain a word in any spelling of its case. */
  public Mono<Integer> containing(String word) {
    return count("CONTAINS(c.goods, @word, true)", Map.of("word", word));
  }

  private Mono<Integer> count(String condition, Map<String, String> parameters) {
    return orders
        .query(
            SqlQuery.of("SELECT VALUE COUNT(1) FROM c WHERE " + condition, parameters),
            Integer.class)
        .next();
  }
}
