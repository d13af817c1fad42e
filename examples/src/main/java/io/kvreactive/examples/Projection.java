package io.kvreactive.examples;

import io.kvreactive.AtomicOperation;
import io.kvreactive.ChangesOptions;
import io.kvreactive.Kv;
import io.kvreactive.KvChange;
import io.kvreactive.KvCommit;
import io.kvreactive.KvEntry;
import io.kvreactive.KvError;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvKey;
import io.kvreactive.KvOptions;
import io.kvreactive.KvRange;
import io.kvreactive.KvTransaction;
import io.kvreactive.KvType;
import io.kvreactive.KvUpdate;
import io.kvreactive.Versionstamp;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The total of each customer's orders, kept up to date by the change feed.
 *
 * <p>The changes of a commit are applied in one commit with its position. Thus a run may end at any
 * time: the next one continues at the position and counts nothing twice. Without a position, or if
 * the changes since then are no longer kept, the totals are rebuilt.
 *
 * <p>Only one run may be active at a time. The store must keep old values, see {@link
 * KvOptions#withOldValues}.
 */
public final class Projection {
  private static final ChangesOptions OLD_VALUES = ChangesOptions.DEFAULT.withOldValues(true);
  private static final KvType<Order> ORDER = KvType.of(Order.class);

  private final Kv kv;
  private final KvRange orders;
  private final KvKey root;

  /**
   * Creates a projection, which does nothing before {@link #run}.
   *
   * @param orders the range of the orders
   * @param root the prefix of the projection's own keys
   */
  public Projection(Kv kv, KvRange orders, KvKey root) {
    this.kv = kv;
    this.orders = orders;
    this.root = root;
  }

  /** Returns the range of the totals, in cents by customer. */
  public KvRange totals() {
    return KvRange.prefix(root.append("totals"));
  }

  private KvKey total(String customer) {
    return root.append("totals", customer);
  }

  private KvKey place() {
    return root.append("place");
  }

  /** Emits the position up to which changes were applied; empty before the first run. */
  public Mono<Versionstamp> reached() {
    return kv.get(place(), String.class).mapNotNull(KvEntry::value).map(Versionstamp::parse);
  }

  /** Keeps the totals up to date until it is cancelled. Emits the position after each step. */
  public Flux<Versionstamp> run() {
    return reached()
        .map(this::follow)
        .defaultIfEmpty(fromStart())
        .flatMapMany(steps -> steps)
        .onErrorResume(Projection::isCompacted, compacted -> fromStart());
  }

  private Flux<Versionstamp> fromStart() {
    return rebuild()
        .flatMapMany(place -> Flux.concat(Mono.just(place), follow(place)))
        .onErrorResume(Projection::isCompacted, compacted -> fromStart());
  }

  private static boolean isCompacted(Throwable error) {
    return KvError.is(error, KvErrorCode.COMPACTED);
  }

  private Flux<Versionstamp> follow(Versionstamp since) {
    return kv.changes(orders, since, OLD_VALUES, ORDER).concatMap(this::apply, 1);
  }

  private Mono<Versionstamp> apply(KvCommit<Order> commit) {
    if (commit.changes().stream().anyMatch(KvChange.DeleteRange.class::isInstance)) {
      return rebuild(); // the deleted orders are not known
    }
    Map<String, Long> more = new HashMap<>();
    commit.changes().forEach(change -> add(change, more));
    return kv.transact(tx -> store(tx, more, commit.versionstamp()));
  }

  /** Applies changes, unless a rebuild has counted their commit already. */
  private Mono<Versionstamp> store(KvTransaction tx, Map<String, Long> more, Versionstamp place) {
    return tx.get(place(), String.class)
        .map(
            read -> {
              Versionstamp reached = Versionstamp.parse(read.required());
              if (reached.compareTo(place) >= 0) {
                return reached;
              }
              more.forEach((customer, cents) -> tx.sum(total(customer), cents));
              tx.set(place(), place.toString());
              return place;
            });
  }

  private static void add(KvChange<Order> change, Map<String, Long> totals) {
    if (change instanceof KvChange.Set<Order> set) {
      add(set.value(), 1, totals);
      add(set.oldValue(), -1, totals);
    } else if (change instanceof KvChange.Delete<Order> delete) {
      add(delete.oldValue(), -1, totals);
    } else if (change instanceof KvChange.Expire<Order> expire) {
      add(expire.oldValue(), -1, totals);
    }
  }

  private static void add(@Nullable Order order, int sign, Map<String, Long> totals) {
    if (order != null) {
      totals.merge(order.customer(), (long) sign * order.cents(), Long::sum);
    }
  }

  /** Counts all orders, and replaces the totals and the position in one commit. */
  private Mono<Versionstamp> rebuild() {
    return Mono.defer(
        () -> {
          Map<KvKey, Order> all = new HashMap<>();
          return kv.listAndWatch(orders, OLD_VALUES, ORDER)
              .doOnNext(update -> collect(update, all))
              .ofType(KvUpdate.Synced.class)
              .next()
              .flatMap(synced -> replace(all.values(), synced.versionstamp()));
        });
  }

  private static void collect(KvUpdate<Order> update, Map<KvKey, Order> all) {
    if (update instanceof KvUpdate.Listed<Order> listed) {
      all.put(listed.entry().key(), listed.entry().required());
    } else if (update instanceof KvUpdate.Committed<Order> committed) {
      committed.commit().changes().forEach(change -> collect(change, all));
    }
  }

  private static void collect(KvChange<Order> change, Map<KvKey, Order> all) {
    if (change instanceof KvChange.Set<Order> set && set.value() != null) {
      all.put(set.key(), set.value());
    } else if (change instanceof KvChange.Delete<Order> delete) {
      all.remove(delete.key());
    } else if (change instanceof KvChange.Expire<Order> expire) {
      all.remove(expire.key());
    } else if (change instanceof KvChange.DeleteRange<Order> deleted) {
      all.keySet().removeIf(deleted.range()::contains);
    }
  }

  private Mono<Versionstamp> replace(Collection<Order> all, Versionstamp place) {
    Map<String, Long> totals = new HashMap<>();
    all.forEach(order -> add(order, 1, totals));
    AtomicOperation operation = kv.atomic().deleteRange(totals());
    totals.forEach((customer, cents) -> operation.sum(total(customer), cents));
    return operation.set(place(), place.toString()).commit().thenReturn(place);
  }
}
