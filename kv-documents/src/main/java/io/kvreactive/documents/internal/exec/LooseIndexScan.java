package io.kvreactive.documents.internal.exec;

import static io.kvreactive.documents.internal.worker.WorkerThread.checkpoint;

import io.kvreactive.documents.internal.encoding.ValueDecoding.DecodedValue;
import io.kvreactive.documents.internal.encoding.ValueEncoding;
import io.kvreactive.documents.internal.layout.EntryKeys;
import io.kvreactive.documents.internal.layout.KeyRange;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A loose index scan: one entry of each value, or of each combination of first values. After each
 * batch the remaining entries of the last value are skipped; the more entries a value has, the
 * smaller the batches. Entries without an exact value are all returned.
 */
final class LooseIndexScan {
  private static final int SMALLEST = 8;
  private static final int LARGEST = 512;

  private final EntryReader reader;
  private final EntryKeys keys;
  private final int width;
  private final boolean reverse;
  private @Nullable List<DecodedValue> last;
  private int part = SMALLEST;

  /**
   * Creates a scan.
   *
   * @param width the number of the first values that matter
   */
  LooseIndexScan(EntryReader reader, EntryKeys keys, int width, boolean reverse) {
    this.reader = reader;
    this.keys = keys;
    this.width = width;
    this.reverse = reverse;
  }

  /** Returns the next entries; may return none before the end. */
  List<Candidate> next() {
    List<Candidate> found = reader.next(part, Math.max(1, part / SMALLEST));
    List<Candidate> firsts = new ArrayList<>(found.size());
    for (Candidate candidate : found) {
      checkpoint();
      List<DecodedValue> all = Objects.requireNonNull(candidate.entry()).values();
      List<DecodedValue> first = all.subList(0, width);
      boolean areTold = areTold(first, all.size());
      List<DecodedValue> before = last;
      if (!areTold || before == null || !areSame(before, first)) {
        firsts.add(candidate);
      }
      last = areTold ? first : null;
    }
    part =
        4 * firsts.size() >= found.size() // skipping so few entries is not worth a read
            ? Math.min(LARGEST, 2 * part)
            : Math.max(SMALLEST, part / 2);
    List<DecodedValue> behind = last;
    if (behind != null && !found.isEmpty()) {
      KeyRange same = keys.equalTo(behind.stream().map(DecodedValue::value).toList());
      reader.skipTo(reverse ? same.start() : same.end());
    }
    return firsts;
  }

  /**
   * Returns true if the values of an entry are those of its item. In a range index, undefined may
   * stand for an array or object.
   *
   * @param width the number of all values of the entry
   */
  static boolean areTold(List<DecodedValue> values, int width) {
    for (DecodedValue value : values) {
      if (!value.exact() || width == 1 && value.tag() == ValueEncoding.UNDEFINED) {
        return false;
      }
    }
    return true;
  }

  /** Returns true if two lists of the same length have equal values. */
  static boolean areSame(List<DecodedValue> one, List<DecodedValue> two) {
    for (int i = 0; i < one.size(); i++) {
      if (one.get(i).tag() != two.get(i).tag() || !one.get(i).value().equals(two.get(i).value())) {
        return false;
      }
    }
    return true;
  }
}
