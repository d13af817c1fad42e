package io.kvreactive.index.internal.exec;

import static io.kvreactive.index.internal.worker.WorkerThread.checkpoint;

import io.kvreactive.index.internal.encoding.ValueDecoding.DecodedValue;
import io.kvreactive.index.internal.encoding.ValueEncoding;
import io.kvreactive.index.internal.layout.EntryKeys;
import io.kvreactive.index.internal.layout.KeyRange;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * A loose index scan: one entry of each value. After each batch the remaining entries of the last
 * value are skipped; the more entries a value has, the smaller the batches. Entries without an
 * exact value are all emitted.
 */
final class LooseIndexScan {
  private static final int SMALLEST = 8;
  private static final int LARGEST = 512;

  private final EntryReader reader;
  private final EntryKeys keys;
  private final boolean reverse;
  private @Nullable DecodedValue last;
  private int part = SMALLEST;

  /**
   * Creates a scan.
   *
   * @param keys the keys of an index of one value
   */
  LooseIndexScan(EntryReader reader, EntryKeys keys, boolean reverse) {
    this.reader = reader;
    this.keys = keys;
    this.reverse = reverse;
  }

  /** Emits the next entries; may emit an empty list before the end. */
  Mono<List<Candidate>> next() {
    return MonoFusion.map(reader.next(part, Math.max(1, part / SMALLEST)), this::firsts);
  }

  private List<Candidate> firsts(List<Candidate> found) {
    List<Candidate> firsts = new ArrayList<>(found.size());
    for (Candidate candidate : found) {
      checkpoint();
      DecodedValue value = Objects.requireNonNull(candidate.entry()).values().get(0);
      boolean isTold = value.exact() && value.tag() != ValueEncoding.UNDEFINED;
      DecodedValue before = last;
      if (!isTold || before == null || !isSame(before, value)) {
        firsts.add(candidate);
      }
      last = isTold ? value : null;
    }
    part =
        4 * firsts.size() >= found.size() // skipping so few entries is not worth a read
            ? Math.min(LARGEST, 2 * part)
            : Math.max(SMALLEST, part / 2);
    DecodedValue behind = last;
    if (behind != null && !found.isEmpty()) {
      KeyRange same = keys.equalTo(List.of(behind.value()));
      reader.skipTo(reverse ? same.start() : same.end());
    }
    return firsts;
  }

  private static boolean isSame(DecodedValue one, DecodedValue two) {
    return one.tag() == two.tag() && one.value().equals(two.value());
  }
}
