package io.kvreactive.json;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.Keys;
import io.kvreactive.Kv;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.KvRecord;
import io.kvreactive.KvU64;
import io.kvreactive.KvValue;
import io.kvreactive.internal.value.RandomValues;
import io.kvreactive.testing.ShortTries;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import reactor.core.publisher.Flux;

/** An export imported into another store is stored there byte for byte. */
class KvLinesPropertyTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final Vertx VERTX = Vertx.vertx();
  private static final long FUTURE = 4_000_000_000_000L;

  private record Stored(KvKey key, KvValue value, Instant expireAt) {}

  @Property(tries = 150, edgeCases = EdgeCasesMode.NONE)
  @ShortTries(40)
  void restoresTheSameStoreFromAnExport(@ForAll("keys") List<KvKey> keys, @ForAll long seed) {
    Random random = new Random(seed);
    List<KvRecord> records = new ArrayList<>();
    for (KvKey key : keys) {
      Instant expireAt =
          random.nextBoolean() ? Instant.ofEpochMilli(FUTURE + random.nextInt(5000)) : null;
      records.add(new KvRecord(key, value(random), expireAt));
    }
    Kv from = Kv.inMemory(VERTX).block(TIMEOUT);
    Kv to = Kv.inMemory(VERTX).block(TIMEOUT);
    try {
      from.load(Flux.fromIterable(records)).blockLast(TIMEOUT);
      to.admin().importLines(from.admin().exportLines(KvRange.all())).blockLast(TIMEOUT);
      List<Stored> expected = stored(from);
      assertThat(stored(to)).isEqualTo(expected);
      assertThat(expected).hasSize((int) keys.stream().distinct().count());
    } finally {
      from.close().block(TIMEOUT);
      to.close().block(TIMEOUT);
    }
  }

  private static Object value(Random random) {
    byte[] noise = new byte[random.nextInt(20)];
    random.nextBytes(noise);
    return switch (random.nextInt(5)) {
      case 0 -> new KvU64(random.nextLong());
      case 1 -> noise;
      case 2 -> new KvValue(KvValue.Encoding.V8, noise);
      case 3 -> RandomValues.plainOf(random.nextLong());
      default -> RandomValues.of(random.nextLong());
    };
  }

  private static List<Stored> stored(Kv kv) {
    return kv.list(KvRange.all(), KvValue.class)
        .map(entry -> new Stored(entry.key(), entry.required(), entry.expireAt()))
        .collectList()
        .block(TIMEOUT);
  }

  @Provide
  Arbitrary<List<KvKey>> keys() {
    return Arbitraries.oneOf(Keys.partLists().map(KvKey::of), Keys.crowdedKeys())
        .filter(key -> !key.isEmpty())
        .list()
        .ofMaxSize(40);
  }
}
