package io.kvreactive.index.internal.transform;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.Kv;
import io.kvreactive.KvOptions;
import io.kvreactive.KvValue;
import io.kvreactive.index.internal.store.CollectionKeys;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.Mutation;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.scheduler.Schedulers;

@ExtendWith(VertxExtension.class)
class ItemCountTest {
  private static final Duration PATIENCE = Duration.ofSeconds(120);
  private static final long FAR = 1_000_000_000_000L;

  private final CollectionKeys keys = new CollectionKeys("kvi", "some", 0, 0);
  private Kv kv;

  @BeforeEach
  void open(Vertx vertx) {
    kv = Kv.open(vertx, KvOptions.inMemory().withName("item-count")).block(PATIENCE);
  }

  @AfterEach
  void close() {
    kv.close().block(PATIENCE);
  }

  private void store(LongStream docIds) {
    KvValue nothing = new KvValue(KvValue.Encoding.BYTES, new byte[0]);
    List<Mutation> sets =
        docIds.<Mutation>mapToObj(id -> Mutation.Set.blind(keys.item(id), nothing)).toList();
    kv.engine().commit(new Commit(List.of(), sets)).block(PATIENCE);
  }

  private Long upTo(long last, boolean stopped) {
    KvEngine engine = kv.engine();
    AdaptiveThrottle pace = new AdaptiveThrottle(new LongAdder(), 1, 1);
    return new ItemCount(engine, Schedulers.parallel(), keys, pace, () -> stopped)
        .upTo(last)
        .block(PATIENCE);
  }

  /** Counts over gaps of deleted document ids and in more than one part. */
  @Test
  void countsItemsFarApart() {
    store(LongStream.rangeClosed(1, 1000));
    store(LongStream.of(65_536, 65_537, 262_144, 262_145));
    store(LongStream.rangeClosed(FAR, FAR + 999));
    assertThat(upTo(FAR + 999, false)).isEqualTo(2004);
    assertThat(upTo(FAR, false)).isEqualTo(1005);
    assertThat(upTo(65_536, false)).isEqualTo(1001);
    assertThat(upTo(1, false)).isEqualTo(1);
  }

  @Test
  void countsZeroInAnEmptyCollection() {
    assertThat(upTo(0, false)).isZero();
    assertThat(upTo(Long.MAX_VALUE - 1, false)).isZero();
  }

  @Test
  void returnsNullWhenStopped() {
    store(LongStream.rangeClosed(1, 10));
    assertThat(upTo(10, true)).isNull();
  }
}
