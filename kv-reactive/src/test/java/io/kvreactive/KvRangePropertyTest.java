package io.kvreactive;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

class KvRangePropertyTest {
  @Property(tries = 5000)
  void containsKeysThatContinueThePrefix(@ForAll("keys") KvKey prefix, @ForAll("keys") KvKey key) {
    boolean under = KvKeyPropertyTest.plainStartsWith(key, prefix) && !key.equals(prefix);
    assertThat(KvRange.prefix(prefix).contains(key)).isEqualTo(under);
  }

  @Property(tries = 5000)
  void splitsAPrefixAtABound(
      @ForAll("keys") KvKey prefix, @ForAll("keys") KvKey suffix, @ForAll("keys") KvKey key) {
    if (suffix.isEmpty()) {
      return;
    }
    KvKey bound = prefix.append(suffix.parts().toArray());
    boolean under = KvRange.prefix(prefix).contains(key);
    boolean before = Keys.PART_WISE.compare(key.parts(), bound.parts()) < 0;
    assertThat(KvRange.prefixFrom(prefix, bound).contains(key)).isEqualTo(under && !before);
    assertThat(KvRange.prefixUntil(prefix, bound).contains(key)).isEqualTo(under && before);
  }

  @Property(edgeCases = EdgeCasesMode.NONE)
  void concatenatesPagesToTheWholeRange(
      @ForAll("stores") Set<KvKey> store,
      @ForAll("ranges") KvRange range,
      @ForAll boolean reverse,
      @ForAll @IntRange(min = 1, max = 4) int pageSize) {
    List<KvKey> whole = new ArrayList<>(store.stream().filter(range::contains).toList());
    if (reverse) {
      Collections.reverse(whole);
    }

    List<KvKey> paged = new ArrayList<>();
    String cursor = "";
    while (true) {
      KvRange rest = range.resume(cursor, reverse);
      Collection<KvKey> page = page(store, rest, reverse, pageSize);
      if (page.isEmpty()) {
        break;
      }
      paged.addAll(page);
      cursor = range.cursorAfter(paged.get(paged.size() - 1));
      assertThat(cursor).isNotEmpty().isEqualTo(rest.cursorAfter(paged.get(paged.size() - 1)));
    }
    assertThat(paged).isEqualTo(whole);
  }

  private static List<KvKey> page(Set<KvKey> store, KvRange range, boolean reverse, int size) {
    List<KvKey> inRange = new ArrayList<>(store.stream().filter(range::contains).toList());
    if (reverse) {
      Collections.reverse(inRange);
    }
    return inRange.subList(0, Math.min(size, inRange.size()));
  }

  @Property(edgeCases = EdgeCasesMode.NONE)
  void keepsCursorsInsideTheirRange(
      @ForAll("ranges") KvRange range,
      @ForAll boolean reverse,
      @ForAll("cursors") String cursor,
      @ForAll("keys") KvKey key) {
    try {
      KvRange rest = range.resume(cursor, reverse);
      assertThat(rest.contains(key)).matches(in -> !in || range.contains(key));
    } catch (KvException e) {
      assertThat(e.code()).isEqualTo(KvErrorCode.INVALID_CURSOR);
    }
  }

  @Provide
  Arbitrary<KvKey> keys() {
    return Keys.crowdedKeys();
  }

  @Provide
  Arbitrary<Set<KvKey>> stores() {
    return Keys.crowdedKeys().filter(key -> !key.isEmpty()).set().ofMaxSize(40).map(TreeSet::new);
  }

  @Provide
  Arbitrary<KvRange> ranges() {
    Arbitrary<KvKey> keys = Keys.crowdedKeys();
    Arbitrary<KvKey> suffixes = keys.filter(key -> !key.isEmpty());
    return Arbitraries.oneOf(
        keys.map(KvRange::prefix),
        keys.map(KvRange::single),
        Combinators.combine(keys, suffixes)
            .as((p, s) -> KvRange.prefixFrom(p, p.append(s.parts().toArray()))),
        Combinators.combine(keys, suffixes)
            .as((p, s) -> KvRange.prefixUntil(p, p.append(s.parts().toArray()))),
        Combinators.combine(keys, keys)
            .as((a, b) -> a.compareTo(b) <= 0 ? KvRange.between(a, b) : KvRange.between(b, a)));
  }

  @Provide
  Arbitrary<String> cursors() {
    return Arbitraries.oneOf(
        Arbitraries.strings().withChars("AmIQYwB_-=.").ofMaxLength(8),
        Combinators.combine(ranges(), keys())
            .as((range, key) -> range.contains(key) ? range.cursorAfter(key) : "__8="));
  }
}
