package io.kvreactive.internal.api;

import io.kvreactive.KvEntry;
import io.kvreactive.KvKey;
import io.kvreactive.KvPage;
import io.kvreactive.KvRange;
import io.kvreactive.KvType;
import io.kvreactive.ListOptions;
import io.kvreactive.ListOptions.Consistency;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.shared.PagedFlux.Pages;
import io.kvreactive.internal.value.ValueMapper;
import io.kvreactive.spi.ConsistentReads;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.ReadResult;
import io.kvreactive.spi.StoredEntry;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** The pages of a list: each starts after the last key of the previous one. */
final class RangePages<T> implements Pages<KvEntry<T>> {
  /** Demand up to which a page is small: that of a subscriber that requests one by one. */
  private static final long FEW_ENTRIES = 64;

  private static final long FEW_BYTES = 256 << 10;

  private final ValueMapper values;
  private final KvType<T> type;
  private final ConsistentReads reads;
  private final int batchSize;
  private ReadRange rest;
  private long remaining;
  private Versionstamp read = Versionstamp.ZERO;
  private byte @Nullable [] resumeAfter;
  private volatile boolean done;

  RangePages(
      KvEngine engine,
      KvRange range,
      ListOptions options,
      int maxBatchSize,
      ValueMapper values,
      KvType<T> type) {
    this.batchSize = Math.min(options.batchSize(), maxBatchSize);
    this.values = values;
    this.type = type;
    this.rest =
        new ReadRange(
            range.startBytes(), range.endBytes(), 1, options.reverse(), options.keysOnly());
    this.remaining = options.limit();
    this.reads =
        options.consistency() == Consistency.SNAPSHOT
            ? ConsistentReads.atSnapshot(engine)
            : new ConsistentReads(engine, false);
  }

  @Override
  public Mono<List<KvEntry<T>>> next(long wanted) {
    int size = (int) Math.min(Math.min(wanted, remaining), batchSize);
    List<ReadRange> page = List.of(rest.withLimit(size));
    return reads.read(page, maxBytes(wanted), this::isAll).map(this::entries);
  }

  /**
   * Returns the maximum size of a page in bytes. A subscriber with little demand may keep the page
   * for long, so it gets a small one.
   *
   * @param wanted the number of requested entries
   */
  static long maxBytes(long wanted) {
    return wanted <= FEW_ENTRIES ? FEW_BYTES : Long.MAX_VALUE;
  }

  private boolean isAll(ReadResult result) {
    RangePage page = result.pages().get(0);
    return page.isLast() || page.entries().size() >= remaining;
  }

  private List<KvEntry<T>> entries(ReadResult result) {
    RangePage page = result.pages().get(0);
    List<KvEntry<T>> entries = new ArrayList<>(page.entries().size());
    for (StoredEntry entry : page.entries()) {
      entries.add(
          EntryMapper.of(entry, KvKey.fromEncoded(entry.key()), result.snapshot(), values, type));
    }
    remaining -= entries.size();
    read = result.snapshot();
    byte[] last = page.resumeAfter();
    resumeAfter = last;
    if (last == null || remaining == 0) {
      done = true;
    } else {
      rest = rest.after(last);
    }
    return entries;
  }

  /** Returns the last page with its cursor, for callers that request single pages. */
  KvPage<T> page(KvRange range, List<KvEntry<T>> entries) {
    byte[] last = resumeAfter;
    String cursor = last == null ? "" : range.cursorAfter(KvKey.fromEncoded(last));
    return new KvPage<>(entries, cursor, read);
  }

  /** Returns the version of the last page. */
  Versionstamp version() {
    return read;
  }

  /** Returns the key after which the next page starts, or null if there is none. */
  byte @Nullable [] resumeAfter() {
    return resumeAfter;
  }

  @Override
  public boolean done() {
    return done;
  }

  @Override
  public void close() {
    reads.close();
  }
}
