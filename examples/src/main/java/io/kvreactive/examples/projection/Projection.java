package io.kvreactive.examples.projection;

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
 * What each customer has ordered in all, kept by following the orders. The totals of a commit are
 * stored in one commit with the place that was reached; so whenever it is stopped, and however, it
 * goes on from there and counts nothing twice. Without a place, or when the changes since then are
 * not kept any more, it begins anew. One at a time; the store has to keep old values, see {@link
 * KvOptions#withOldValues}.
 */
public final class Projection {
  private static final ChangesOptions OLD_VALUES = ChangesOptions.DEFAULT.withOldValues(true);
  private static final KvType<Order> ORDER = KvType.of(Order.class);

  private final Kv kv;
  private final KvRange orders;
  private final KvKey root;

  /**
   * A projection; nothing happens yet.
   *
   * @param orders what to follow
   * @param root what the keys of the projection begin with
   */
  public Projection(Kv kv, KvRange orders, KvKey root) {
    this.kv = kv;
    this.orders = orders;
    this.root = root;
  }

  /** Cents by customer. */
  public KvRange totals() {
    return KvRange.prefix(root.append("totals"));
  }

  private KvKey total(String customer) {
    return root.append("totals", customer);
  }

  private KvKey place() {
    return root.append("place");
  }

  /** Empty before the first run. */
  public Mono<Versionstamp> reached() {
    return kv.get(place(), String.class).mapNotNull(KvEntry::value).map(Versionstamp::parse);
  }

  /** Keeps the totals up to date, without end; emits the place after each step. */
  public Flux<Versionstamp> run() {
    return reached()
        .map(this::follow)
        .defaultIfEmpty(anew())
        .flatMapMany(steps -> steps)
        .onErrorResume(Projection::isCompacted, compacted -> anew());
  }

  private Flux<Versionstamp> anew() {
    return rebuild()
        .flatMapMany(place -> Flux.concat(Mono.just(place), follow(place)))
        .onErrorResume(Projection::isCompacted, compacted -> anew());
  }

  private static boolean isCompacted(Throwable error) {
    return KvError.is(error, KvErrorCode.COMPACTED);
  }

  private Flux<Versionstamp> follow(Versionstamp since) {
    return kv.changes(orders, since, OLD_VALUES, ORDER).concatMap(this::apply, 1);
  }

  private Mono<Versionstamp> apply(KvCommit<Order> commit) {
    if (commit.changes().stream().anyMatch(KvChange.DeleteRange.class::isInstance)) {
      return rebuild(); // which orders those were is not told
    }
    Map<String, Long> more = new HashMap<>();
    commit.changes().forEach(change -> add(change, more));
    return kv.transact(tx -> store(tx, more, commit.versionstamp()));
  }

  /** Does nothing when a rebuild has counted the commit already. */
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

  /** Counts all orders there are, and replaces totals and place by one commit. */
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
