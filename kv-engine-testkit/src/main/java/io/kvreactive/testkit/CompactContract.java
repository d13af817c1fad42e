package io.kvreactive.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.CompactionProgress;
import io.kvreactive.KvEntry;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.ListOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Compaction: the store needs less space, and loses nothing, while reads and commits continue.
 *
 * <p>For durable engines with {@code KvEngine.compact}. On others, it must fail with UNSUPPORTED.
 */
public abstract class CompactContract extends KvContract {
  private static final int KEYS = 20_000; // more than fit into the smallest image

  private static KvKey key(int n) {
    return KvKey.of("compact", n);
  }

  private void fill() {
    for (int i = 0; i < KEYS; i += 1000) {
      int first = i;
      commit(
          c -> {
            for (int n = first; n < first + 1000; n++) {
              c.set(key(n), new byte[n % 100 == 0 ? 1000 : 250]);
            }
          });
    }
  }

  private List<CompactionProgress> compact() {
    return all(kv.admin().compact());
  }

  private List<KvEntry<Object>> everything() {
    return all(kv.list(KvRange.prefix("compact")));
  }

  private static List<String> text(List<KvEntry<Object>> entries) {
    return entries.stream()
        .map(e -> e.key() + " " + e.versionstamp() + " " + e.expireAt() + " " + length(e.value()))
        .toList();
  }

  private static int length(@Nullable Object value) {
    return value instanceof byte[] bytes ? bytes.length : -1;
  }

  /**
   * Returns the size of the files that a compaction makes smaller. Called only if {@link
   * #memtableBytes} is positive.
   */
  protected abstract long compactedBytes() throws IOException;

  @Test
  public void keepsTheRemainingKeysInASmallerFile() throws IOException {
    if (!durable()) {
      failure(kv.admin().compact(), KvErrorCode.UNSUPPORTED);
      return;
    }
    fill();
    settle();
    get(kv.deleteRange(KvRange.between(key(100), key(KEYS - 100))));
    get(kv.touch(key(5), Duration.ofHours(1)));
    settle();
    List<String> before = text(everything());
    long bytes = memtableBytes() > 0 ? compactedBytes() : 0;
    List<CompactionProgress> progress = compact();
    CompactionProgress last = progress.get(progress.size() - 1);
    assertThat(last.done()).isTrue();
    assertThat(text(everything())).isEqualTo(before).hasSize(200);
    if (memtableBytes() > 0) { // otherwise nothing is in files
      assertThat(compactedBytes()).isLessThan(bytes);
      assertThat(last.bytesAfter()).isLessThan(last.bytesBefore());
    }
    reopen();
    assertThat(text(everything())).isEqualTo(before);
    compact();
    settle();
    assertThat(text(everything())).isEqualTo(before);
  }

  @Test
  public void allowsReadsAndCommitsDuringCompaction() {
    if (!durable()) {
      return;
    }
    fill();
    settle();
    List<Integer> committed = new ArrayList<>();
    AtomicBoolean stop = new AtomicBoolean();
    Mono<Void> writer =
        Flux.range(0, Integer.MAX_VALUE)
            .takeWhile(n -> !stop.get())
            .concatMap(
                n ->
                    kv.atomic()
                        .set(key(n % KEYS), new byte[n % 50 == 0 ? 20_000 : 10])
                        .delete(key((n * 7 + 1) % KEYS))
                        .set(KvKey.of("both", n), n)
                        .commit()
                        .thenReturn(n))
            .doOnNext(committed::add)
            .then()
            .cache();
    writer.subscribe();
    Mono<List<KvEntry<Object>>> slow =
        kv.list(
                KvRange.prefix("compact"),
                ListOptions.DEFAULT.withConsistency(ListOptions.Consistency.SNAPSHOT))
            .take(500)
            .collectList()
            .retryWhen(whenTooOld());
    List<Integer> rounds = List.of(1, 2, 3);
    for (Integer round : rounds) {
      List<CompactionProgress> progress =
          get(Mono.zip(kv.admin().compact().collectList(), slow)).getT1();
      assertThat(progress.get(progress.size() - 1).done()).as("round %d", round).isTrue();
    }
    stop.set(true);
    writer.block(TIMEOUT);
    // all acknowledged entries are present, and deleted ones have not returned
    assertThat(get(kv.count(KvRange.prefix("both")))).isEqualTo(committed.size());
    List<String> before = text(everything());
    reopen();
    assertThat(text(everything())).isEqualTo(before);
  }

  @Test
  public void sharesARunningCompactionAndStopsItOnCancel() {
    if (!durable()) {
      return;
    }
    fill();
    settle();
    List<Boolean> both =
        all(
            Flux.merge(
                kv.admin().compact().last().map(CompactionProgress::done),
                kv.admin().compact().last().map(CompactionProgress::done)));
    assertThat(both).containsExactly(true, true);
    kv.admin().compact().subscribe().dispose();
    assertThat(compact()).isNotEmpty();
    assertThat(everything()).hasSize(KEYS);
  }

  @Test
  public void endsOnClose() {
    if (!durable()) {
      return;
    }
    fill();
    settle();
    Mono<List<CompactionProgress>> running = kv.admin().compact().collectList().cache();
    running.subscribe(ignored -> {}, e -> {});
    reopen();
    assertThat(everything()).hasSize(KEYS);
  }
}
