package io.kvreactive.examples.cache;

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
 * A cache in front of a slow function. What it has computed is stored with a time to live, counted
 * from the last use; at its time the entry is gone, and the store removes it. Callers that miss the
 * same entry at the same time wait for one computation.
 *
 * @param <T> type of the values
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

  /** Emits the value; an error of the function is emitted to all who wait, and not stored. */
  public Mono<T> get(String name) {
    return kv.get(root.append(name), type)
        .flatMap(entry -> entry.exists() ? hit(entry) : miss(name));
  }

  private Mono<T> hit(KvEntry<T> entry) {
    hits.increment();
    return keep(entry).thenReturn(entry.required());
  }

  /** A touch is a commit: one in half a time to live is enough for what is used all the time. */
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

  /** Looks again first: who missed it long ago may come when somebody else is done already. */
  private Mono<T> compute(String name) {
    KvKey key = root.append(name);
    Mono<T> computed =
        Mono.defer(() -> slow.apply(name))
            .flatMap(value -> kv.set(key, value, timeToLive).thenReturn(value));
    return kv.get(key, type).mapNotNull(KvEntry::value).switchIfEmpty(computed);
  }

  /** What has happened so far. */
  public String counts() {
    return "%d hits, %d touched; %d misses, %d waited for one of these"
        .formatted(hits.sum(), touches.sum(), misses.sum(), joined.sum());
  }
}
