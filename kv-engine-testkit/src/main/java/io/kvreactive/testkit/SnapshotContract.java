package io.kvreactive.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.KvEntry;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.ListOptions;
import io.kvreactive.ListOptions.Consistency;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

/**
 * Reads at one version, concurrent with commits.
 *
 * <p>Writers always write all keys of a group together, with one value. So a reader must never see
 * two values, or another number of keys.
 */
public abstract class SnapshotContract extends KvContract {
  private static final int KEYS = 200;
  private static final int ROUNDS = tries(30, 60);
  private static final KvRange GROUP = KvRange.prefix("g");
  private static final KvKey FIRST = KvKey.of("g", 0);
  private static final KvKey LAST = KvKey.of("g", KEYS - 1);

  private final AtomicBoolean stop = new AtomicBoolean();
  private final AtomicInteger written = new AtomicInteger();
  private reactor.core.Disposable writers;

  @BeforeEach
  public void startWriting() {
    writeAll(0);
    writers =
        Flux.merge(writer(), writer())
            .subscribe(ignored -> written.incrementAndGet(), Throwable::printStackTrace);
  }

  private Flux<?> writer() {
    return reactor.core.publisher.Mono.defer(() -> group(written.get()).commit())
        .repeat(() -> !stop.get());
  }

  /** Returns the write of all keys. Some operations first delete all keys as a range. */
  private io.kvreactive.AtomicOperation group(int value) {
    var operation = kv.atomic();
    if (value % 3 == 0 && deletesRanges()) {
      operation.deleteRange(GROUP);
    }
    String text = value + "x".repeat(100);
    for (int i = 0; i < KEYS; i++) {
      operation.set(KvKey.of("g", i), text);
    }
    return operation;
  }

  private void writeAll(int value) {
    get(group(value).commit());
  }

  @AfterEach
  public void stopWriting() {
    stop.set(true);
    writers.dispose();
  }

  private static void same(List<KvEntry<String>> entries, int count) {
    Set<String> values = new HashSet<>();
    entries.forEach(e -> values.add(e.value() + " of " + e.versionstamp()));
    assertThat(values).hasSize(1);
    assertThat(entries).hasSize(count);
    assertThat(entries).extracting(KvEntry::snapshot).containsOnly(entries.get(0).snapshot());
  }

  @Test
  public void readsOneVersionInGetMany() {
    List<KvKey> keys =
        java.util.stream.IntStream.range(0, KEYS).mapToObj(i -> KvKey.of("g", i)).toList();
    for (int i = 0; i < ROUNDS; i++) {
      same(get(kv.getMany(keys, String.class).collectList().retryWhen(whenTooOld())), KEYS);
    }
  }

  @Test
  public void readsOneVersionInASnapshotListInEitherDirection() {
    ListOptions options =
        ListOptions.DEFAULT.withConsistency(Consistency.SNAPSHOT).withBatchSize(50);
    for (int i = 0; i < ROUNDS; i++) {
      ListOptions either = options.withReverse(i % 2 == 0);
      // collected, so that it can be retried
      same(get(kv.list(GROUP, either, String.class).collectList().retryWhen(whenTooOld())), KEYS);
    }
  }

  @Test
  public void readsOneVersionInAPageOfAList() {
    for (int i = 0; i < ROUNDS; i++) {
      same(all(kv.list(GROUP, String.class)), KEYS);
    }
  }

  @Test
  public void countsAtOneVersion() {
    for (int i = 0; i < ROUNDS; i++) {
      assertThat(get(kv.count(GROUP).retryWhen(whenTooOld()))).isEqualTo(KEYS);
    }
  }

  @Test
  public void watchesOneVersionAndNeverGoesBack() {
    var states = all(kv.watch(List.of(FIRST, LAST), String.class).take(ROUNDS));
    states.forEach(state -> same(state, 2));
    assertThat(states).extracting(state -> state.get(0).versionstamp()).isSorted();
  }

  @Test
  public void readsEveryAnsweredCommit() {
    for (int i = 0; i < ROUNDS; i++) {
      KvKey mine = KvKey.of("mine");
      var stamp = set(mine, i);
      var entry = get(kv.get(mine));
      assertThat(entry.value()).isEqualTo(i);
      assertThat(entry.versionstamp()).isEqualTo(stamp);
    }
  }
}
