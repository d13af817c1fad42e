package io.kvreactive.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.AtomicOperation;
import io.kvreactive.KvEntry;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.ListOptions;
import io.kvreactive.ListOptions.Consistency;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;

/**
 * Lists and counts: their order, both directions, pages, cursors and snapshots.
 *
 * <p>The entries are written in two commits with {@link #settle()} in between, so that an engine
 * with memory and files has some in both. The engine must support counts and deletions of ranges.
 */
public abstract class ListContract extends KvContract {
  private static final KvKey N = KvKey.of("n");
  private static final KvKey FROM = KvKey.of("n", 40);
  private static final KvKey TO = KvKey.of("n", 310);

  private final TreeMap<KvKey, Object> model = new TreeMap<>();

  @BeforeEach
  public void fill() {
    AtomicOperation first = kv.atomic();
    put(first, N, "the prefix itself");
    put(first, KvKey.of("na"), "begins with the same letters");
    put(first, KvKey.of("m", 1), "before");
    put(first, KvKey.of("n\0x", 1), "the end of the prefix range");
    for (int i = 0; i < 300; i++) {
      put(first, KvKey.of("n", i), i);
    }
    get(first.commit());
    settle();
    AtomicOperation second = kv.atomic();
    for (int i = 0; i < 350; i++) {
      KvKey key = KvKey.of("n", i);
      if (i % 7 == 0) {
        second.delete(key);
        model.remove(key);
      } else if (i % 5 == 0 || i >= 300) {
        put(second, key, "new " + i);
      }
    }
    put(second, KvKey.of("n", 5, "deeper"), true);
    get(second.commit());
  }

  private void put(AtomicOperation operation, KvKey key, Object value) {
    operation.set(key, value);
    model.put(key, value);
  }

  private List<KvKey> expected(KvRange range) {
    return model.keySet().stream().filter(range::contains).toList();
  }

  private void check(KvRange range) {
    List<KvKey> keys = expected(range);
    List<KvEntry<Object>> entries = all(kv.list(range).filter(KvContract::notFiller));
    assertThat(entries).extracting(KvEntry::key).isEqualTo(keys);
    assertThat(entries).allSatisfy(e -> assertThat(e.value()).isEqualTo(model.get(e.key())));

    List<KvKey> descending = new ArrayList<>(keys);
    Collections.reverse(descending);
    ListOptions reverse = ListOptions.DEFAULT.withReverse(true);
    assertThat(keys(range, reverse)).isEqualTo(descending);
    assertThat(keys(range, reverse.withBatchSize(3))).isEqualTo(descending);
    assertThat(keys(range, ListOptions.DEFAULT.withBatchSize(1))).isEqualTo(keys);
  }

  private List<KvKey> keys(KvRange range, ListOptions options) {
    return all(kv.list(range, options).filter(KvContract::notFiller).map(KvEntry::key));
  }

  @Test
  public void listsTheKeysOfEverySelector() {
    for (KvRange range :
        List.of(
            KvRange.prefix(N),
            KvRange.prefix("n", 5),
            KvRange.prefixFrom(N, FROM),
            KvRange.prefixUntil(N, TO),
            KvRange.between(FROM, TO),
            KvRange.between(N, KvKey.of("o")),
            KvRange.between(FROM, FROM),
            KvRange.single(FROM),
            KvRange.single(KvKey.of("n", 7)),
            KvRange.ofEncoded(new byte[] {2, 'n'}, new byte[] {2, 'n', 'b'}),
            KvRange.prefix("nothing"),
            KvRange.all())) {
      check(range);
    }
    settle();
    check(KvRange.prefix(N));
    reopen();
    check(KvRange.prefix(N));
  }

  @Test
  public void excludesThePrefixItself() {
    assertThat(keys(KvRange.prefix(N), ListOptions.DEFAULT)).doesNotContain(N).isNotEmpty();
  }

  @Test
  public void endsTheListAtTheLimit() {
    List<KvKey> whole = expected(KvRange.prefix(N));
    for (int limit : new int[] {1, 2, 100, whole.size(), whole.size() + 1}) {
      ListOptions options = ListOptions.DEFAULT.withLimit(limit).withBatchSize(64);
      assertThat(keys(KvRange.prefix(N), options))
          .isEqualTo(whole.subList(0, Math.min(limit, whole.size())));
    }
  }

  @Test
  public void listsTheWholeRangeInPagesByCursor() {
    for (boolean reverse : new boolean[] {false, true}) {
      for (KvRange range : List.of(KvRange.prefix(N), KvRange.between(FROM, TO))) {
        ListOptions page = ListOptions.DEFAULT.withReverse(reverse).withLimit(37);
        List<KvKey> seen = new ArrayList<>();
        List<KvKey> next = keys(range, page);
        while (!next.isEmpty()) {
          seen.addAll(next);
          next = keys(range, page.withCursor(range.cursorAfter(next.get(next.size() - 1))));
        }
        assertThat(seen).isEqualTo(keys(range, ListOptions.DEFAULT.withReverse(reverse)));
      }
    }
  }

  @Test
  public void omitsValuesAndKeepsStampsForKeysOnly() {
    List<KvEntry<Object>> entries =
        all(kv.list(KvRange.prefix(N), ListOptions.DEFAULT.withKeysOnly(true)));

    assertThat(entries).extracting(KvEntry::key).isEqualTo(expected(KvRange.prefix(N)));
    assertThat(entries)
        .allSatisfy(
            e -> {
              assertThat(e.value()).isNull();
              assertThat(e.exists()).isTrue();
            });
  }

  @Test
  public void countsTheEntriesOfTheList() {
    assertThat(get(kv.count(KvRange.prefix(N)))).isEqualTo(expected(KvRange.prefix(N)).size());
    assertThat(get(kv.count(KvRange.between(FROM, TO))))
        .isEqualTo(expected(KvRange.between(FROM, TO)).size());
    assertThat(get(kv.count(KvRange.prefix("nothing")))).isZero();
    assertThat(get(kv.count(KvRange.between(FROM, FROM)))).isZero();
  }

  @Test
  public void keepsTheVersionOfASnapshotListUnlikeAPageList() {
    KvRange range = KvRange.prefix(N);
    Map<KvKey, Object> before = new TreeMap<>(model);
    ListOptions paged = ListOptions.DEFAULT.withBatchSize(64);
    KvKey last = KvKey.of("n", 1000);
    // not with recordWith: StepVerifier polls that step from two threads if a request precedes it
    AtomicInteger seen = new AtomicInteger();
    Flux<KvEntry<Object>> snapshot =
        kv.list(range, paged.withConsistency(Consistency.SNAPSHOT))
            .doOnNext(entry -> seen.incrementAndGet());

    StepVerifier.create(snapshot, 0)
        .thenRequest(1)
        .expectNextCount(1)
        .then(() -> commit(c -> c.deleteRange(KvRange.prefixFrom(N, FROM)).set(last, "late")))
        .thenRequest(Long.MAX_VALUE)
        .thenConsumeWhile(e -> Objects.equals(before.get(e.key()), e.value()))
        .expectComplete()
        .verify(TIMEOUT);
    assertThat(seen).hasValue(expected(range).size());

    assertThat(keys(range, paged)).endsWith(last).doesNotContain(TO);
  }

  @Test
  public void showsLaterCommitsInLaterPagesOfAPageList() {
    KvKey late = KvKey.of("n", 1000);
    StepVerifier.create(
            kv.list(KvRange.prefix(N), ListOptions.DEFAULT.withBatchSize(64)).map(KvEntry::key), 0)
        .thenRequest(1)
        .expectNextCount(1)
        .then(() -> set(late, "late"))
        .thenRequest(Long.MAX_VALUE)
        .thenConsumeWhile(key -> !key.equals(late))
        .expectNext(late)
        .expectComplete()
        .verify(TIMEOUT);
  }

  @Test
  public void rejectsAForeignCursorAtSubscription() {
    var undecodable = kv.list(KvRange.prefix(N), ListOptions.DEFAULT.withCursor("!"));
    String outside = KvRange.all().cursorAfter(KvKey.of("z"));
    var beyond = kv.list(KvRange.between(FROM, TO), ListOptions.DEFAULT.withCursor(outside));

    assertThat(failure(undecodable, KvErrorCode.INVALID_CURSOR)).hasMessageContaining("\"!\"");
    failure(beyond, KvErrorCode.INVALID_CURSOR);
  }
}
