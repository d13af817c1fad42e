package io.kvreactive.examples.orders;

import io.kvreactive.Versionstamp;
import io.kvreactive.documents.ChangeFeedOptions;
import io.kvreactive.documents.ChangeProcessor;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.DocumentCollection;
import io.kvreactive.documents.DocumentStore;
import io.kvreactive.documents.Item;
import io.kvreactive.documents.ItemChanges;
import io.kvreactive.documents.ItemChanges.Change;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.examples.orders.PlacedOrder.Status;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Keeps what happened to each order, also to those that are deleted. It follows all versions of the
 * orders. A store that keeps previous values tells what a deleted order was; in another one only
 * its id is known.
 */
public final class OrderAudit {
  /**
   * A change of an order. Its id has the versionstamp of the commit, so a change that is handled
   * again is stored once.
   *
   * @param commit the versionstamp of the commit, as text: later ones are greater
   * @param before the state before; null for a new order, and if the store does not keep it
   * @param after the state after; null for a deleted order
   */
  record Entry(
      String id, String order, String commit, @Nullable Status before, @Nullable Status after) {}

  /**
   * The number of changes of a kind.
   *
   * @param before the state before; null if there was none or the store does not keep it
   * @param after the state after; null for deletes
   */
  public record Count(@Nullable Status before, @Nullable Status after, int changes) {}

  private final Orders orders;
  private final DocumentCollection<Entry> audit;

  public OrderAudit(DocumentStore store, Orders orders) {
    this.orders = orders;
    this.audit = store.collection("audit", Entry.class, CollectionDefinition.DEFAULT);
  }

  /** Returns a member of the group that records all changes. */
  public ChangeProcessor member() {
    return orders.followAll(
        "audit",
        commits -> audit.upsertMany(Flux.fromIterable(commits).concatMap(OrderAudit::entries)));
  }

  private static Flux<Entry> entries(ItemChanges<PlacedOrder> commit) {
    String versionstamp = commit.versionstamp().toString();
    return Flux.fromIterable(commit.changes())
        .map(
            change ->
                new Entry(
                    versionstamp + "-" + change.id(),
                    change.id(),
                    versionstamp,
                    status(change.previous()),
                    change instanceof Change.Upsert<PlacedOrder> upsert
                        ? upsert.item().value().status()
                        : null));
  }

  private static @Nullable Status status(@Nullable Item<PlacedOrder> item) {
    return item == null ? null : item.value().status();
  }

  /** Completes when so many changes after a position are recorded. */
  public Mono<Void> recorded(long changes, Versionstamp since) {
    return audit
        .changeFeed(ChangeFeedOptions.LATEST.withSince(since))
        .concatMapIterable(ItemChanges::changes)
        .map(Change::id)
        .filter(id -> id.compareTo(since.toString()) > 0) // not one of an earlier run
        .distinct()
        .take(changes)
        .then();
  }

  /** Emits how many orders were deleted after a position, for each state that they had. */
  public Flux<Count> deletes(Versionstamp since) {
    return audit.query(
        SqlQuery.of(
            "SELECT c.before, c.after, COUNT(1) AS changes FROM c"
                + " WHERE c.commit > @since AND IS_NULL(c.after) GROUP BY c.before, c.after",
            Map.of("since", since.toString())),
        Count.class);
  }
}
