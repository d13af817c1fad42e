package io.kvreactive.examples;

import io.kvreactive.Kv;
import io.kvreactive.KvEntry;
import io.kvreactive.KvKey;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/**
 * A cache in front of a slow function. Computed values are stored with a time to live, counted from
 * the last use. Expired entries are absent, and the store removes them. Concurrent callers that
 * miss the same entry share one computation.
 *
 * @param <T> the type of the values
 */
public final class ReadThroughCache<T> {
  private final Kv kv;
  private final KvKey root;
  private final Class<T> type;
  private final Duration timeToLive;
  private final Function<String, Mono<T>> slow;
  private final ConcurrentMap<String, Mono<T>> underWay = new ConcurrentHashMap<>();
  private final LongAdder hits = new LongAdder();
  private final LongAdder misses = new LongAdder();
  private final LongAdder joined = new LongAdder();
  private final LongAdder touches = new LongAdder();

  public ReadThroughCache(
      Kv kv, KvKey root, Class<T> type, Duration timeToLive, Function<String, Mono<T>> slow) {
    this.kv = kv;
    this.root = root;
    this.type = type;
    this.timeToLive = timeToLive;
    this.slow = slow;
  }

  /**
   * Emits the cached or computed value. An error of the function is emitted to all callers that
   * share the computation, and is not stored.
   */
  public Mono<T> get(String name) {
    return kv.get(root.append(name), type)
        .flatMap(entry -> entry.exists() ? hit(entry) : miss(name));
  }

  private Mono<T> hit(KvEntry<T> entry) {
    hits.increment();
    return keep(entry).thenReturn(entry.required());
  }

  /**
   * Extends the time to live of an entry. A touch is a commit, so it is made only after half of the
   * time to live.
   */
  private Mono<Void> keep(KvEntry<T> entry) {
    Instant expireAt = entry.expireAt();
    if (expireAt == null || Instant.now().isBefore(expireAt.minus(timeToLive.dividedBy(2)))) {
      return Mono.empty();
    }
    touches.increment();
    return kv.touch(entry.key(), timeToLive).then();
  }

  private Mono<T> miss(String name) {
    Mono<T> mine = Mono.defer(() -> compute(name)).doFinally(end -> underWay.remove(name)).cache();
    Mono<T> first = underWay.putIfAbsent(name, mine);
    (first == null ? misses : joined).increment();
    return first == null ? mine : first;
  }

  /**
   * Computes and stores a value. Reads the entry again first, because another computation may have
   * ended after this caller's miss.
   */
  private Mono<T> compute(String name) {
    KvKey key = root.append(name);
    Mono<T> computed =
        Mono.defer(() -> slow.apply(name))
            .flatMap(value -> kv.set(key, value, timeToLive).thenReturn(value));
    return kv.get(key, type).mapNotNull(KvEntry::value).switchIfEmpty(computed);
  }

  /** Returns the numbers of hits, touches and misses as text. */
  public String counts() {
    return "%d hits, %d touched; %d misses, %d shared a computation"
        .formatted(hits.sum(), touches.sum(), misses.sum(), joined.sum());
  }
}
