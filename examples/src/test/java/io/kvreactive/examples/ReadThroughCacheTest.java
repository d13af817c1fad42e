package io.kvreactive.examples;

import static io.kvreactive.examples.MemoryStore.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvreactive.KvEntry;
import io.kvreactive.KvKey;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

class ReadThroughCacheTest {
  private static final KvKey ROOT = KvKey.of("cache");

  @RegisterExtension final MemoryStore store = new MemoryStore();
  private final AtomicInteger computed = new AtomicInteger();

  private ReadThroughCache<Integer> cache(Duration timeToLive) {
    return new ReadThroughCache<>(store.kv(), ROOT, Integer.class, timeToLive, this::compute);
  }

  private Mono<Integer> compute(String name) {
    return Mono.delay(Duration.ofMillis(20)).map(tick -> computed.incrementAndGet());
  }

  @Test
  void computesOnceForConcurrentMisses() {
    ReadThroughCache<Integer> cache = cache(Duration.ofMinutes(1));
    assertThat(await(Flux.range(0, 200).flatMap(i -> cache.get("a"), 64).distinct().collectList()))
        .containsExactly(1);
    assertThat(computed).hasValue(1);
  }

  @Test
  void recomputesAnExpiredEntry() {
    ReadThroughCache<Integer> cache = cache(Duration.ofMillis(30));
    assertThat(await(cache.get("a"))).isEqualTo(1);
    // bypasses the cache, because a read would prolong the entry
    await(store.kv().get(ROOT.append("a")).repeat().filter(entry -> !entry.exists()).next());
    assertThat(await(cache.get("a"))).isEqualTo(2);
  }

  @Test
  void keepsUsedEntriesLonger() {
    KvKey key = ROOT.append("a");
    ReadThroughCache<Integer> cache = cache(Duration.ofHours(1));
    Mono<Instant> end = store.kv().get(key).mapNotNull(KvEntry::expireAt);
    Instant first = await(cache.get("a").then(end));
    assertThat(await(cache.get("a").then(end))).as("too soon for another commit").isEqualTo(first);
    await(
        store
            .kv()
            .touch(key, Duration.ofMinutes(20))); // simulates that most of the hour has passed
    assertThat(await(cache.get("a").then(end))).isAfterOrEqualTo(first);
    assertThat(computed).hasValue(1);
  }

  @Test
  void doesNotCacheErrors() {
    AtomicInteger calls = new AtomicInteger();
    ReadThroughCache<String> cache =
        new ReadThroughCache<>(
            store.kv(),
            ROOT,
            String.class,
            Duration.ofMinutes(1),
            name ->
                calls.incrementAndGet() == 1
                    ? Mono.error(new IllegalStateException("not now"))
                    : Mono.just("now"));
    assertThatThrownBy(() -> await(cache.get("a"))).hasMessage("not now");
    assertThat(await(cache.get("a"))).isEqualTo("now");
  }
}
