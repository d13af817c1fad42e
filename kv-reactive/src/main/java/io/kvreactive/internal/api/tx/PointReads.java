package io.kvreactive.internal.api.tx;

import io.kvreactive.KvEntry;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvType;
import io.kvreactive.internal.shared.PagedFlux.Pages;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.StoredEntry;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The pages of a getMany in a transaction. Keys whose value the transaction has written are not
 * read from the store.
 */
final class PointReads<T> implements Pages<RecordedRead<T>> {
  private static final int PAGE = 500;

  private final EngineTransaction transaction;
  private final List<KvKey> keys;
  private final List<@Nullable KeyWrites> over;
  private final KvType<T> type;
  private volatile int read;

  private record Point<T>(KvEntry<T> entry, boolean fromStore, @Nullable StoredEntry stored)
      implements RecordedRead<T> {
    @Override
    public void addTo(ReadSet reads) {
      if (fromStore) {
        reads.key(entry.key().bytes(), stored);
      }
    }
  }

  /**
   * Creates the pages.
   *
   * @param over the writes to each key, or null for none
   */
  PointReads(
      EngineTransaction transaction,
      List<KvKey> keys,
      List<@Nullable KeyWrites> over,
      KvType<T> type) {
    this.transaction = transaction;
    this.keys = keys;
    this.over = over;
    this.type = type;
  }

  private boolean fromStore(int index) {
    KeyWrites writes = over.get(index);
    return writes == null || writes.readsStore();
  }

  @Override
  public Mono<List<RecordedRead<T>>> next(long wanted) {
    int from = read;
    int to = (int) Math.min(keys.size(), from + Math.min(wanted, PAGE));
    List<ReadRange> requested = new ArrayList<>(to - from);
    for (int i = from; i < to; i++) {
      if (fromStore(i)) {
        requested.add(ReadRange.point(keys.get(i).bytes()));
      }
    }
    return requested.isEmpty()
        ? Mono.fromSupplier(() -> entries(from, to, List.of()))
        : transaction.read(requested).map(result -> entries(from, to, result.pages()));
  }

  /** Returns the entries of the answered reads. */
  private List<RecordedRead<T>> entries(int from, int to, List<RangePage> pages) {
    List<RecordedRead<T>> entries = new ArrayList<>(to - from);
    int used = 0;
    int i = from;
    for (; i < to; i++) {
      StoredEntry stored = null;
      if (fromStore(i)) {
        if (used == pages.size()) {
          break;
        }
        List<StoredEntry> found = pages.get(used++).entries();
        stored = found.isEmpty() ? null : found.get(0);
      }
      entries.add(entry(i, stored));
    }
    read = i;
    return entries;
  }

  private RecordedRead<T> entry(int index, @Nullable StoredEntry stored) {
    KvKey key = keys.get(index);
    KeyWrites writes = over.get(index);
    try {
      StoredEntry entry = writes == null ? stored : writes.applyTo(stored, transaction.now());
      return new Point<>(transaction.entry(key, entry, type), fromStore(index), stored);
    } catch (KvException e) {
      KvEntry<T> unreadable = transaction.entry(key, null, type);
      transaction.failed(new Point<>(unreadable, fromStore(index), stored));
      throw e;
    }
  }

  @Override
  public boolean done() {
    return read == keys.size();
  }

  @Override
  public void close() {
    // the transaction closes the snapshot
  }
}
