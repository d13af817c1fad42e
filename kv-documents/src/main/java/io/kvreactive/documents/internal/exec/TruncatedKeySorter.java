package io.kvreactive.documents.internal.exec;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.internal.encoding.OrderedValue;
import io.kvreactive.documents.internal.encoding.ValueDecoding.DecodedValue;
import io.kvreactive.documents.internal.encoding.ValueEncoding;
import io.kvreactive.documents.internal.eval.MemoryEstimator;
import io.kvreactive.documents.internal.layout.EntryKeys.DecodedEntry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sorts items whose entries agree up to the truncation of a long text, so that only the items give
 * their order. The order is that of the query, and then by document id.
 */
final class TruncatedKeySorter {
  private static final long BYTES_EACH = 120;

  // no entry continues with these bytes after a value
  private static final int BEFORE = 0x01;
  private static final int AFTER = 0xFF;

  private final byte[] prefix;
  private final SortKeys values;
  private final QueryBudget budget;
  private final Comparator<Keyed> order;
  private final List<Candidate> members = new ArrayList<>();
  private long held;

  private record Keyed(OrderedValue[] keys, long docId) {}

  /**
   * Creates a sorter.
   *
   * @param prefix the common prefix of the entries, up to and including the truncated text
   */
  TruncatedKeySorter(byte[] prefix, boolean reverse, SortKeys values, QueryBudget budget) {
    this.prefix = prefix;
    this.values = values;
    this.budget = budget;
    Comparator<Keyed> ties = Comparator.comparingLong(Keyed::docId);
    this.order =
        Comparator.comparing(Keyed::keys, values.order())
            .thenComparing(reverse ? ties.reversed() : ties);
  }

  /**
   * Returns the number of bytes of an entry up to the end of the first truncated text; 0 if no text
   * is truncated.
   */
  static int cutAt(@Nullable DecodedEntry entry) {
    if (entry != null) {
      for (DecodedValue value : entry.values()) {
        if (value.tag() == ValueEncoding.STRING && !value.exact()) {
          return value.next();
        }
      }
    }
    return 0;
  }

  /** Returns the key before all entries with a prefix, in the direction of the scan. */
  static byte[] edge(byte[] prefix, boolean reverse) {
    byte[] key = Arrays.copyOf(prefix, prefix.length + 1);
    key[prefix.length] = (byte) (reverse ? AFTER : BEFORE);
    return key;
  }

  int length() {
    return prefix.length;
  }

  boolean has(byte[] raw) {
    return raw.length > prefix.length
        && Arrays.equals(raw, 0, prefix.length, prefix, 0, prefix.length);
  }

  void add(long docId) {
    hold(BYTES_EACH);
    members.add(Candidate.of(docId));
  }

  private void hold(long bytes) {
    held += bytes;
    budget.hold(bytes);
  }

  /**
   * Returns the items in order, to be loaded again.
   *
   * @param loading loads the items, whose values give the order
   * @param after the position after which items are returned; null for all items, or if the
   *     position belongs to another run
   */
  List<Candidate> sorted(ItemLoader loading, @Nullable ScanPosition after) {
    List<Keyed> keyed = new ArrayList<>(members.size());
    loading.each(
        CandidateSources.ofList(members, new OperatorStats("run")),
        CoveringReader.NOT_COVERED,
        512,
        item -> {
          OrderedValue[] keys = values.ordered(item);
          for (OrderedValue key : keys) {
            hold(MemoryEstimator.of(key.value()));
          }
          keyed.add(new Keyed(keys, item.docId()));
        });
    keyed.sort(order);
    List<JsonNode> keys =
        after == null || !Arrays.equals(prefix, after.raw()) ? null : after.keys();
    Keyed last =
        keys == null || after == null ? null : new Keyed(SortKeys.ordered(keys), after.docId());
    List<Candidate> sorted = new ArrayList<>(keyed.size());
    for (Keyed one : keyed) {
      if (last == null || order.compare(one, last) > 0) {
        sorted.add(
            Candidate.of(one.docId())
                .at(
                    new ScanPosition(
                        ScanPosition.Kind.ORDER,
                        one.docId(),
                        prefix,
                        Arrays.stream(one.keys()).map(OrderedValue::value).toList())));
      }
    }
    budget.release(held); // long runs are rare: the rows of this run may still be held for a moment
    return sorted;
  }
}
