package io.kvreactive.examples;

import io.kvreactive.Kv;
import io.kvreactive.KvChange;
import io.kvreactive.KvCommit;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.Versionstamp;
import io.kvreactive.examples.run.Launcher;
import io.kvreactive.examples.run.Screen;
import io.kvreactive.examples.run.Size;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Shows a cache whose entries expire after a time without use. */
public final class CacheExample {
  private static final KvKey ROOT = KvKey.of("cache example");
  private static final KvRange ENTRIES = KvRange.prefix(ROOT);
  private static final Duration SLOW = Duration.ofMillis(100);
  private static final Duration TIME_TO_LIVE = Duration.ofMillis(500);
  private static final int NAMES = 30;
  private static final int CALLERS = 8;

  private final Kv kv;
  private final ReadThroughCache<String> cache;
  private final Screen screen;

  private CacheExample(Kv kv, Screen screen) {
    this.kv = kv;
    this.cache =
        new ReadThroughCache<>(kv, ROOT, String.class, TIME_TO_LIVE, CacheExample::forecast);
    this.screen = screen;
  }

  public static void main(String[] args) {
    Integer status =
        new Launcher("cache", Screen.standard())
            .run(args, new Size("calls", 2000), CacheExample::run)
            .block();
    System.exit(status == null ? 1 : status);
  }

  /** Runs the example. First deletes the entries of an earlier run. */
  static Mono<Void> run(Kv kv, Screen screen, int calls) {
    CacheExample example = new CacheExample(kv, screen);
    return kv.deleteRange(ENTRIES)
        .flatMap(
            start ->
                example
                    .timed("the first call", "Lima")
                    .then(example.timed("the second call", "Lima"))
                    .then(example.crowd(calls))
                    .then(example.toTheEnd())
                    .flatMap(lastStored -> example.removed(start, lastStored)));
  }

  /** Emits the weather after a delay, in place of a slow service. */
  private static Mono<String> forecast(String place) {
    return Mono.delay(SLOW).thenReturn("sunny in " + place);
  }

  private Mono<Void> timed(String what, String place) {
    return cache
        .get(place)
        .timed()
        .doOnNext(
            answer ->
                screen.line(
                    "%s took %d ms: %s",
                    what, answer.elapsedSinceSubscription().toMillis(), answer.get()))
        .then();
  }

  /**
   * Makes concurrent calls. Some places are requested all the time, others so rarely that they
   * expire in between.
   */
  private Mono<Void> crowd(int calls) {
    Random random = new Random(7);
    return Flux.range(0, calls)
        .map(i -> "place " + Math.min(random.nextInt(NAMES), random.nextInt(NAMES)))
        .flatMap(place -> Mono.delay(Duration.ofMillis(5)).then(cache.get(place)), CALLERS, CALLERS)
        .count()
        .doOnNext(answered -> screen.line("%,d calls: %s", answered, cache.counts()))
        .then();
  }

  /**
   * Reads an entry until it is absent, and repeats this with another entry if none of the reads was
   * before the expiry. Emits the versionstamp of the commit that stored the entry. An entry that is
   * present after its expiry would be an error.
   */
  private Mono<Versionstamp> toTheEnd() {
    KvKey key = ROOT.append("watched");
    Mono<Look> last =
        Mono.defer(() -> look(key)).repeat().takeUntil(look -> !look.present()).takeLast(2).next();
    return kv.set(key, "here", Duration.ofMillis(100))
        .flatMap(
            stored ->
                last.filter(Look::present)
                    .flatMap(look -> Mono.fromRunnable(() -> tell(look)).thenReturn(stored))
                    .switchIfEmpty(Mono.defer(this::toTheEnd)));
  }

  private Mono<Look> look(KvKey key) {
    Instant requestedAt = Instant.now();
    return kv.get(key).map(entry -> new Look(requestedAt, entry.expireAt(), entry.exists()));
  }

  /** The result of one read. */
  private record Look(Instant requestedAt, @Nullable Instant expireAt, boolean present) {}

  private void tell(Look last) {
    Instant expireAt = Objects.requireNonNull(last.expireAt());
    screen.line(
        "an entry was last present %d ms before its expiry, and absent %d ms after it",
        Duration.between(last.requestedAt(), expireAt).toMillis(),
        Duration.between(expireAt, Instant.now()).toMillis());
  }

  /** Follows the changes until the store has removed all expired entries. */
  private Mono<Void> removed(Versionstamp start, Versionstamp lastStored) {
    Set<KvKey> left = new HashSet<>();
    return kv.changes(ENTRIES, start)
        .doOnNext(commit -> commit.changes().forEach(change -> note(change, left)))
        .takeUntil(commit -> left.isEmpty() && commit.versionstamp().compareTo(lastStored) > 0)
        .flatMapIterable(KvCommit::changes)
        .filter(KvChange.Expire.class::isInstance)
        .count()
        .doOnNext(expired -> screen.line("the store has removed %d expired entries", expired))
        .then(kv.count(ENTRIES))
        .doOnNext(count -> screen.line("left: %d", count))
        .then();
  }

  private static void note(KvChange<Object> change, Set<KvKey> left) {
    if (change instanceof KvChange.Set<Object> set) {
      left.add(set.key());
    } else if (change instanceof KvChange.Expire<Object> expire) {
      left.remove(expire.key());
    }
  }
}
