package io.kvreactive.examples;

import static io.kvreactive.examples.MemoryStore.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.Kv;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvOptions;
import io.kvreactive.KvRange;
import io.kvreactive.KvU64;
import io.kvreactive.Versionstamp;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

@ExtendWith(VertxExtension.class)
class ProjectionTest {
  private static final KvKey ORDERS = KvKey.of("orders");

  private Kv kv;
  private Projection projection;

  /** Opens a store that retains almost no log. */
  @BeforeEach
  void open(Vertx vertx) {
    KvOptions options =
        KvOptions.inMemory()
            .withOldValues(true)
            .withMemoryBytes(1 << 20)
            .withLogRetention(0, Duration.ZERO);
    kv = await(Kv.open(vertx, options));
    projection = new Projection(kv, KvRange.prefix(ORDERS), KvKey.of("projection"));
  }

  @AfterEach
  void close() {
    await(kv.close());
  }

  private Versionstamp order(int number, String customer, int cents) {
    return await(kv.set(ORDERS.append(number), new Order(customer, cents)));
  }

  private Map<String, Long> totalsAt(Versionstamp stamp) {
    await(projection.run().takeUntil(place -> place.compareTo(stamp) >= 0).then());
    return await(
        kv.list(projection.totals(), KvU64.class)
            .collectMap(e -> e.key().stringAt(2), e -> e.required().longValueExact()));
  }

  @Test
  void followsNewChangedAndDeletedOrders() {
    assertThat(totalsAt(order(1, "Ada", 10))).isEqualTo(Map.of("Ada", 10L));
    order(2, "Ada", 5);
    order(3, "Ken", 7);
    order(1, "Ken", 20);
    Versionstamp last = await(kv.delete(ORDERS.append(2)));
    assertThat(totalsAt(last)).isEqualTo(Map.of("Ada", 0L, "Ken", 27L));
  }

  @Test
  void restartsWhenARangeIsDeleted() {
    Flux.range(0, 2000).concatMap(i -> kv.set(ORDERS.append(i), new Order("Ada", 1))).blockLast();
    assertThat(totalsAt(order(5000, "Ken", 3))).isEqualTo(Map.of("Ada", 2000L, "Ken", 3L));
    KvRange most = KvRange.between(ORDERS.append(0), ORDERS.append(1999));
    assertThat(totalsAt(await(kv.deleteRange(most)))).isEqualTo(Map.of("Ada", 1L, "Ken", 3L));
  }

  @Test
  void restartsWhenTheChangesAreNoLongerRetained() {
    Versionstamp begun = order(1, "Ada", 10);
    assertThat(totalsAt(begun)).isEqualTo(Map.of("Ada", 10L));
    Versionstamp last = order(2, "Ada", 5);
    byte[] large = new byte[100_000];
    Mono<Versionstamp> other = kv.set(KvKey.of("other"), large);
    Mono<Boolean> kept =
        kv.changes(KvRange.prefix(ORDERS), begun)
            .next()
            .map(commit -> true)
            .onErrorResume(ProjectionTest::isCompacted, e -> Mono.just(false));
    await(other.then(kept).repeat().takeUntil(yes -> !yes).then());
    assertThat(totalsAt(last)).isEqualTo(Map.of("Ada", 15L));
  }

  private static boolean isCompacted(Throwable error) {
    return error instanceof KvException known && known.code() == KvErrorCode.COMPACTED;
  }
}
