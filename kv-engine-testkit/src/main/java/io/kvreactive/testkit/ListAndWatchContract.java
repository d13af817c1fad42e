package io.kvreactive.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.AtomicOperation;
import io.kvreactive.ChangesOptions;
import io.kvreactive.KvChange;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.KvUpdate;
import io.kvreactive.Versionstamp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/**
 * Lists that continue as feeds: a follower has the state of the store at each version.
 *
 * <p>Within a commit, deletions of ranges come first. The deletion of a key is emitted only if the
 * key was present until then.
 */
public abstract class ListAndWatchContract extends KvContract {
  private static final KvRange RANGE = KvRange.prefix("l");
  private static final int KEYS = 1500;
  private static final int COMMITS = 250;

  private static KvKey key(int n) {
    return KvKey.of("l", n);
  }

  @Test
  public void emitsEntriesThenSyncedThenCommits() {
    Versionstamp one = set(key(1), "one");
    Versionstamp two = set(key(2), "two");
    set(KvKey.of("other"), 1);
    StepVerifier.create(kv.listAndWatch(RANGE).filter(update -> !isBookmark(update)))
        .assertNext(update -> assertThat(listed(update)).isEqualTo("one"))
        .assertNext(update -> assertThat(listed(update)).isEqualTo("two"))
        .assertNext(
            update -> {
              KvUpdate.Synced<Object> synced = (KvUpdate.Synced<Object>) update;
              assertThat(synced.versionstamp()).isGreaterThan(two);
            })
        .then(() -> set(key(1), "1"))
        .assertNext(
            update -> {
              var commit = ((KvUpdate.Committed<Object>) update).commit();
              assertThat(commit.changes())
                  .containsExactly(new KvChange.Set<>(key(1), "1", null, one, null));
            })
        .thenCancel()
        .verify(TIMEOUT);
  }

  @Test
  public void emitsSyncedAtOnceForAnEmptyRange() {
    StepVerifier.create(kv.listAndWatch(RANGE))
        .assertNext(update -> assertThat(update).isInstanceOf(KvUpdate.Synced.class))
        .thenCancel()
        .verify(TIMEOUT);
  }

  @Test
  public void emitsSyncedDespiteUnrelatedCommitsBetweenPages() {
    commit(
        c -> {
          for (int i = 0; i < 300; i++) {
            c.set(key(i), i);
          }
        });
    ChangesOptions seldom = ChangesOptions.DEFAULT.withBookmarkInterval(Duration.ofHours(1));
    StepVerifier.create(kv.listAndWatch(RANGE, seldom, io.kvreactive.KvType.of(Object.class)), 10)
        .expectNextCount(10)
        .then(() -> set(KvKey.of("other"), 1))
        .thenRequest(1000)
        .expectNextCount(290)
        .assertNext(update -> assertThat(update).isInstanceOf(KvUpdate.Synced.class))
        .thenCancel()
        .verify(TIMEOUT);
  }

  private static boolean isBookmark(KvUpdate<Object> update) {
    return update instanceof KvUpdate.Committed<Object> c && c.commit().isBookmark();
  }

  private static @Nullable Object listed(KvUpdate<Object> update) {
    return ((KvUpdate.Listed<Object>) update).entry().value();
  }

  /** Value and versionstamp of a key. */
  private record State(@Nullable Object value, @Nullable Versionstamp stamp) {}

  /** Applies updates to a map, and keeps its state at every emitted version. */
  private static final class Follower {
    final Map<KvKey, State> state = new TreeMap<>();
    final Map<Versionstamp, Map<KvKey, State>> seen = new TreeMap<>();
    boolean synced;

    boolean holds(KvKey key, Object value) {
      State held = state.get(key);
      return held != null && value.equals(held.value);
    }

    void apply(KvUpdate<Object> update) {
      if (update instanceof KvUpdate.Listed<Object> listed) {
        assertThat(synced).isFalse();
        var entry = listed.entry();
        State state = new State(entry.value(), entry.versionstamp());
        assertThat(this.state.put(entry.key(), state)).isNull();
      } else if (update instanceof KvUpdate.Synced<Object> s) {
        assertThat(synced).isFalse();
        synced = true;
        seen.put(s.versionstamp(), new TreeMap<>(state));
      } else if (update instanceof KvUpdate.Committed<Object> c) {
        c.commit().changes().forEach(change -> apply(change, c.commit().versionstamp()));
        if (synced) {
          seen.put(c.commit().versionstamp(), new TreeMap<>(state));
        }
      }
    }

    private void apply(KvChange<Object> change, Versionstamp version) {
      if (change instanceof KvChange.Set<Object> set) {
        state.put(set.key(), new State(set.value(), version));
      } else if (change instanceof KvChange.Delete<Object> delete) {
        State before = Objects.requireNonNull(state.remove(delete.key()));
        assertThat(before.stamp).isEqualTo(delete.oldVersionstamp());
      } else if (change instanceof KvChange.DeleteRange<Object> range) {
        state.keySet().removeIf(range.range()::contains);
      } else if (change instanceof KvChange.Touch<Object> touch) {
        State before = Objects.requireNonNull(state.get(touch.key()), "touched at " + version);
        assertThat(before.stamp).isEqualTo(touch.oldVersionstamp());
        state.put(touch.key(), new State(before.value, version));
      }
    }
  }

  static LongStream seeds() {
    return LongStream.rangeClosed(1, tries(2, 4));
  }

  @ParameterizedTest
  @MethodSource("io.kvreactive.testkit.ListAndWatchContract#seeds")
  public void emitsEventsThatReproduceTheStore(long seed) {
    Random random = new Random(seed);
    Map<Versionstamp, Map<KvKey, State>> model = new TreeMap<>();
    Map<KvKey, State> state = new TreeMap<>();
    AtomicOperation fill = kv.atomic();
    for (int i = 0; i < KEYS; i += 2) {
      fill.set(key(i), i);
    }
    Versionstamp filled = get(fill.commit()).versionstamp();
    for (int i = 0; i < KEYS; i += 2) {
      state.put(key(i), new State(i, filled));
    }
    model.put(filled, new TreeMap<>(state));

    Follower follower = new Follower();
    AtomicInteger count = new AtomicInteger();
    int rate = 1 + random.nextInt(100);
    Mono<Map<Versionstamp, Map<KvKey, State>>> seen =
        kv.listAndWatch(RANGE)
            .limitRate(rate)
            .concatMap(
                update ->
                    count.incrementAndGet() % 30 == 0
                        ? Mono.just(update).delayElement(Duration.ofMillis(2))
                        : Mono.just(update),
                1 + random.nextInt(8))
            .doOnNext(follower::apply)
            // all may have been committed before the list was read to its end
            .takeUntil(update -> follower.synced && follower.holds(key(-1), "last"))
            .then(Mono.just(follower.seen))
            .cache();
    seen.subscribe();
    for (int n = 0; n < COMMITS; n++) {
      Map<KvKey, State> next = new TreeMap<>(state);
      List<KvKey> stamped = new ArrayList<>();
      Versionstamp stamp = commit(c -> randomOperation(c, random, next, stamped));
      stamped.forEach(
          key -> next.computeIfPresent(key, (same, held) -> new State(held.value, stamp)));
      state = next;
      model.put(stamp, next);
    }
    Versionstamp last = set(key(-1), "last");
    Map<KvKey, State> atEnd = new TreeMap<>(state);
    atEnd.put(key(-1), new State("last", last));
    model.put(last, atEnd);

    assertThat(get(seen).keySet()).contains(last).isSubsetOf(model.keySet());
    get(seen).forEach((version, held) -> assertThat(held).isEqualTo(model.get(version)));
  }

  private static void randomOperation(
      AtomicOperation operation, Random random, Map<KvKey, State> state, List<KvKey> stamped) {
    int changes = 1 + random.nextInt(4);
    for (int i = 0; i < changes; i++) {
      KvKey key = key(random.nextInt(KEYS));
      switch (random.nextInt(8)) {
        case 0 -> {
          operation.delete(key);
          state.remove(key);
        }
        case 1 -> {
          int from = random.nextInt(KEYS);
          int to = from + random.nextInt(random.nextInt(6) == 0 ? KEYS : 20);
          KvRange range = KvRange.between(key(from), key(to));
          operation.deleteRange(range);
          state.keySet().removeIf(range::contains);
        }
        case 2 -> {
          operation.touch(key, Duration.ofDays(1));
          stamped.add(key);
        }
        default -> {
          int value = random.nextInt(1000);
          operation.set(key, value);
          state.put(key, new State(value, Versionstamp.ZERO));
          stamped.add(key);
        }
      }
    }
  }
}
