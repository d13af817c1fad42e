package io.kvreactive.internal.api.tx;

import io.kvreactive.KvEntry;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.KvType;
import io.kvreactive.ListOptions;
import io.kvreactive.internal.shared.PagedFlux.Pages;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.StoredEntry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** The pages of a list in a transaction: stored entries overlaid by the transaction's writes. */
final class RangeReads<T> implements Pages<RecordedRead<T>> {
  private final EngineTransaction transaction;
  private final KvRange range;
  private final ListOptions options;
  private final int batchSize;
  private final WriteBuffer.Over over;
  private final KvType<T> type;
  private byte[] start;
  private byte[] end;
  private long remaining;
  private long restUntil; // first expiry of the keys read and not emitted
  private boolean cut;
  private volatile boolean done;

  /** An entry together with the range read up to it, which is known to have no further entries. */
  private record UpTo<T>(KvEntry<T> entry, byte[] start, byte[] end, long validUntil)
      implements RecordedRead<T> {
    @Override
    public void addTo(ReadSet reads) {
      reads.range(start, end, validUntil);
    }
  }

  RangeReads(
      EngineTransaction transaction,
      KvRange range,
      ListOptions options,
      int maxBatchSize,
      WriteBuffer.Over over,
      KvType<T> type) {
    this.transaction = transaction;
    this.range = range;
    this.options = options;
    this.batchSize = Math.min(options.batchSize(), maxBatchSize);
    this.over = over;
    this.type = type;
    this.start = range.startBytes();
    this.end = range.endBytes();
    this.remaining = options.limit();
  }

  @Override
  public Mono<List<RecordedRead<T>>> next(long wanted) {
    int size = (int) Math.min(Math.min(wanted, remaining), batchSize);
    ReadRange page = new ReadRange(start, end, size, options.reverse(), options.keysOnly());
    return transaction.read(List.of(page)).map(result -> entries(result.pages().get(0)));
  }

  private List<RecordedRead<T>> entries(RangePage page) {
    byte[] last = page.resumeAfter();
    boolean reverse = options.reverse();
    byte[] from = last == null || !reverse ? start : last;
    byte[] to = last == null || reverse ? end : behind(last);
    List<RecordedRead<T>> entries = entries(over.merge(from, to, page.entries(), reverse));
    if (last == null || cut) {
      done = true;
    } else if (reverse) {
      end = last;
    } else {
      start = behind(last);
    }
    return entries;
  }

  private List<RecordedRead<T>> entries(List<WriteBuffer.Merged> merged) {
    List<RecordedRead<T>> entries = new ArrayList<>(merged.size());
    for (WriteBuffer.Merged key : merged) {
      restUntil = ReadSet.earlier(restUntil, key.validUntil());
      KvEntry<T> entry = entry(key);
      if (entry != null) {
        entries.add(upTo(key.key(), entry));
        restUntil = 0;
        remaining--;
        if (remaining == 0) {
          cut = true;
          return entries;
        }
      }
    }
    return entries;
  }

  private @Nullable KvEntry<T> entry(WriteBuffer.Merged merged) {
    KvKey key = KvKey.fromEncoded(merged.key());
    try {
      StoredEntry entry = merged.entry(transaction.now());
      if (entry != null && options.keysOnly()) {
        entry = new StoredEntry(entry.key(), null, entry.versionstamp(), entry.expireAt());
      }
      return entry == null ? null : transaction.entry(key, entry, type);
    } catch (KvException e) {
      transaction.failed(upTo(merged.key(), transaction.entry(key, null, type)));
      throw e;
    }
  }

  private UpTo<T> upTo(byte[] key, KvEntry<T> entry) {
    return options.reverse()
        ? new UpTo<>(entry, key, range.endBytes(), restUntil)
        : new UpTo<>(entry, range.startBytes(), behind(key), restUntil);
  }

  private static byte[] behind(byte[] key) {
    return Arrays.copyOf(key, key.length + 1);
  }

  /**
   * Adds the rest of the range to the read set when the list has completed, unless the limit ended
   * it.
   */
  void addRest(ReadSet reads) {
    if (!cut) {
      reads.range(range.startBytes(), range.endBytes(), restUntil);
    }
  }

  @Override
  public boolean done() {
    return done;
  }

  @Override
  public void close() {
    // the transaction closes the snapshot
  }
}
