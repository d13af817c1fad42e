package io.kvreactive.bench.compare;

import io.kvreactive.Kv;
import io.kvreactive.KvKey;
import io.kvreactive.bench.Data;
import io.kvreactive.bench.Loop;
import java.util.concurrent.ThreadLocalRandom;
import reactor.core.publisher.Flux;

/**
 * The scenarios on this store. {@code deno.js} has the same scenarios for Deno KV; both must be
 * changed together.
 */
record OurScenarios(Kv kv, Loop loop) {
  private static final int ENTRIES = 100_000;

  double run(Scenario scenario) {
    byte[] value = Data.value();
    return switch (scenario) {
      case SETS64 -> loop.rate(64, i -> kv.set(Data.key("set", i), value));
      case SETS1 -> loop.rate(1, i -> kv.set(Data.key("set", i), value));
      case GETS64 -> {
        load();
        yield loop.rate(
            64, i -> kv.get(random(), byte[].class).map(entry -> required(entry.value())));
      }
      case LIST -> {
        load();
        yield loop.rate(
            1, i -> kv.list(Data.range("get"), byte[].class).map(e -> required(e.value())));
      }
      case ATOMIC64 ->
          loop.rate(
              64,
              i -> {
                KvKey a = Data.key("a", i);
                KvKey b = Data.key("b", i);
                return kv.atomic().checkAbsent(a, b).set(a, value).set(b, value).commit();
              });
      case WATCH -> new WatchLatency(kv, loop).medianMillis();
    };
  }

  private static KvKey random() {
    return Data.key("get", ThreadLocalRandom.current().nextInt(ENTRIES));
  }

  private static byte[] required(byte @org.jspecify.annotations.Nullable [] value) {
    if (value == null || value.length != Data.VALUE_BYTES) {
      throw new IllegalStateException("an entry has lost its value");
    }
    return value;
  }

  private void load() {
    Flux.range(0, ENTRIES / Data.SETS_PER_COMMIT)
        .concatMap(i -> Data.commitFrom(kv, "get", i * Data.SETS_PER_COMMIT))
        .blockLast();
  }
}
