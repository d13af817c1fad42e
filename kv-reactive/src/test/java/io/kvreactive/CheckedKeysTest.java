package io.kvreactive;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Repeated checks of the same keys while their entries are moved to the image. */
@ExtendWith(VertxExtension.class)
class CheckedKeysTest {
  private static final Duration TIMEOUT = Duration.ofMinutes(1);
  private static final KvKey KEY = KvKey.of("checked");
  private static final int MEMTABLE = 1 << 20;

  private static <T> T get(Mono<T> mono) {
    return Objects.requireNonNull(mono.block(TIMEOUT));
  }

  /** Writes more than two memtables, so that earlier entries are only in the image. */
  private static void fill(Kv kv) {
    Flux.range(0, 3 * MEMTABLE / 1000)
        .flatMap(i -> kv.set(KvKey.of("other", i), new byte[1000]), 100)
        .blockLast(TIMEOUT);
  }

  private static boolean holds(Kv kv, Versionstamp stamp) {
    return get(kv.atomic().check(KEY, stamp).set(KvKey.of("side"), 1).commit()).committed();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void detectChangesInEveryLayer(int times, Vertx vertx) {
    Kv kv = get(Kv.open(vertx, KvOptions.inMemory().withMemoryBytes(MEMTABLE)));
    Versionstamp before = null;
    for (int round = 0; round < 6; round++) {
      for (int i = 0; i < times; i++) {
        assertThat(holds(kv, before)).isTrue();
      }
      Versionstamp now = round % 3 == 2 ? null : get(kv.set(KEY, round));
      if (now == null) {
        get(kv.delete(KEY).thenReturn(true));
      }
      for (int i = 0; i < times; i++) {
        assertThat(holds(kv, before)).as("round %s, in memory", round).isFalse();
        assertThat(holds(kv, now)).as("round %s, in memory", round).isTrue();
      }
      fill(kv);
      for (int i = 0; i < times; i++) {
        assertThat(holds(kv, before)).as("round %s, in the image", round).isFalse();
        assertThat(holds(kv, now)).as("round %s, in the image", round).isTrue();
      }
      before = now;
    }
  }
}
