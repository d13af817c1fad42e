package io.kvreactive.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.KvEntry;
import io.kvreactive.KvKey;
import io.kvreactive.KvPage;
import io.kvreactive.KvRange;
import io.kvreactive.KvType;
import io.kvreactive.ListOptions;
import io.kvreactive.ListOptions.Consistency;
import io.kvreactive.Versionstamp;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.RangePage.End;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.ReadResult;
import io.kvreactive.spi.StoredEntry;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Pages: single ones by {@code Kv.page}, and reads that end at a maximum of bytes.
 *
 * <p>A result ends with the entry that reaches the maximum, and has at least one entry if there is
 * one.
 */
public abstract class PageContract extends KvContract {
  private static final KvRange ALL = KvRange.prefix("page");

  private void fill(int count) {
    commit(
        operation -> {
          for (int i = 0; i < count; i++) {
            operation.set(KvKey.of("page", i), i);
          }
        });
  }

  private List<Integer> walk(ListOptions options) {
    List<Integer> seen = new ArrayList<>();
    String cursor = "";
    do {
      KvPage<Integer> page = get(kv.page(ALL, options.withCursor(cursor), Integer.class));
      page.entries().forEach(entry -> seen.add(entry.value()));
      cursor = page.cursor();
      assertThat(page.more()).isEqualTo(!cursor.isEmpty());
    } while (!cursor.isEmpty());
    return seen;
  }

  @Test
  public void concatenatesPagesOfEverySizeToTheWholeList() {
    fill(100);
    List<Integer> whole = java.util.stream.IntStream.range(0, 100).boxed().toList();
    List<Integer> reversed = new ArrayList<>(whole);
    java.util.Collections.reverse(reversed);

    for (int size : new int[] {1, 7, 99, 100, 101}) {
      assertThat(walk(ListOptions.DEFAULT.withBatchSize(size))).isEqualTo(whole);
      assertThat(walk(ListOptions.DEFAULT.withLimit(size))).as("by limit").isEqualTo(whole);
      assertThat(walk(ListOptions.DEFAULT.withBatchSize(size).withReverse(true)))
          .isEqualTo(reversed);
    }
    assertThat(walk(ListOptions.DEFAULT.withConsistency(Consistency.SNAPSHOT))).isEqualTo(whole);
  }

  /** Reads everything in results of at most about so many bytes, and returns the keys in order. */
  private List<String> keys(List<ReadRange> ranges, long maxBytes) {
    List<String> keys = new ArrayList<>();
    List<ReadRange> left = new ArrayList<>(ranges);
    while (!left.isEmpty()) {
      ReadResult result = get(kv.engine().read(left, null, maxBytes));
      long bytes = result.bytes();
      assertThat(result.pages()).isNotEmpty();
      for (RangePage page : result.pages()) {
        ReadRange range = left.remove(0);
        for (StoredEntry entry : page.entries()) {
          keys.add(keyOf(entry));
          bytes -= entry.bytes();
          assertThat(bytes == 0 || result.bytes() - bytes < maxBytes)
              .as("%d bytes follow those that reach %d", bytes, maxBytes)
              .isTrue();
        }
        ReadRange rest = page.rest(range);
        if (rest != null) {
          left.add(0, rest);
        }
      }
    }
    return keys;
  }

  @Test
  public void endsAReadWithTheEntryThatReachesItsMaximumOfBytes() {
    commit(
        operation -> {
          for (int i = 0; i < 40; i++) {
            operation.set(KvKey.of("page", i), "x".repeat(i % 4 == 0 ? 4_000 : 400));
          }
        });
    byte[] middle = KvKey.of("page", 20).bytes();
    List<ReadRange> ranges =
        List.of(
            new ReadRange(ALL.startBytes(), middle, 1000, false, false),
            ReadRange.point(KvKey.of("page", "absent").bytes()),
            new ReadRange(middle, ALL.endBytes(), 1000, false, false));
    List<ReadRange> points = new ArrayList<>();
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      points.add(ReadRange.point(KvKey.of("page", i).bytes()));
      expected.add(KvKey.of("page", i).toString());
    }
    for (long maxBytes : new long[] {1, 500, 5_000, 30_000, Long.MAX_VALUE}) {
      assertThat(keys(ranges, maxBytes)).isEqualTo(expected);
      assertThat(keys(points, maxBytes)).isEqualTo(expected);
    }
  }

  @Test
  public void saysWhyAPageEnds() {
    fill(10);
    byte[] start = ALL.startBytes();
    ReadRange all = new ReadRange(start, ALL.endBytes(), 20, false, false);

    assertThat(ends(all)).containsExactly(End.RANGE);
    assertThat(ends(all.withLimit(5))).containsExactly(End.LIMIT, End.LIMIT, End.RANGE);
    assertThat(ends(new ReadRange(start, ALL.endBytes(), 4, true, true)))
        .containsExactly(End.LIMIT, End.LIMIT, End.RANGE);
    assertThat(ends(new ReadRange(start, start, 4, false, false))).containsExactly(End.RANGE);
    assertThat(ends(ReadRange.point(KvKey.of("page", 3).bytes()))).containsExactly(End.RANGE);
    assertThat(ends(ReadRange.point(KvKey.of("page", 30).bytes()))).containsExactly(End.RANGE);
  }

  private List<End> ends(ReadRange range) {
    return all(kv.engine().pages(range, null).map(RangePage::end));
  }

  @Test
  public void readsAPageForEachRangeWhateverTheirSize() {
    List<ReadRange> points = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      set(KvKey.of("page", i), "x".repeat(60_000));
      points.add(ReadRange.point(KvKey.of("page", i).bytes()));
      points.add(ReadRange.point(KvKey.of("page", i, "absent").bytes()));
    }
    List<ReadResult> results = all(kv.engine().readAll(points, null));
    List<List<String>> keys =
        results.stream()
            .flatMap(result -> result.pages().stream())
            .map(page -> page.entries().stream().map(PageContract::keyOf).toList())
            .toList();
    List<List<String>> expected = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      expected.add(List.of(KvKey.of("page", i).toString()));
      expected.add(List.of());
    }
    assertThat(keys).isEqualTo(expected);
    assertThat(all(kv.engine().readAll(List.of(), null))).isEmpty();
  }

  private static String keyOf(StoredEntry entry) {
    return KvKey.fromEncoded(entry.key()).toString();
  }

  @Test
  public void returnsTheSnapshotOfAnEmptyPage() {
    Versionstamp stamp = set(KvKey.of("elsewhere"), 1);

    KvPage<Integer> page = get(kv.page(ALL, ListOptions.DEFAULT, Integer.class));

    assertThat(page.entries()).isEmpty();
    assertThat(page.more()).isFalse();
    assertThat(page.snapshot()).isGreaterThanOrEqualTo(stamp);
  }

  record Point(int x, int y) {}

  @Test
  public void readsParameterizedTypes() {
    KvKey key = KvKey.of("page", "points");
    set(key, List.of(new Point(1, 2), new Point(3, 4)));

    KvEntry<List<Point>> entry = get(kv.get(key, new KvType<List<Point>>() {}));

    assertThat(entry.value()).containsExactly(new Point(1, 2), new Point(3, 4));
  }
}
