package io.kvreactive.internal.api;

import io.kvreactive.KvEntry;
import io.kvreactive.KvKey;
import io.kvreactive.KvPage;
import io.kvreactive.KvRange;
import io.kvreactive.KvType;
import io.kvreactive.ListOptions;
import io.kvreactive.ListOptions.Consistency;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.value.ValueMapper;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.PagedFlux.Pages;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.ReadResult;
import io.kvreactive.spi.StoredEntry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** The pages of a list: each starts after the last key of the previous one. */
final class RangePages<T> implements Pages<KvEntry<T>> {
  private final ListOptions options;
  private final ValueMapper values;
  private final KvType<T> type;
  private final SharedSnapshot snapshot;
  private final int batchSize;
  private byte[] start;
  private byte[] end;
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
    this.options = options;
    this.values = values;
    this.type = type;
    this.start = range.startBytes();
    this.end = range.endBytes();
    this.remaining = options.limit();
    this.snapshot = new SharedSnapshot(engine, options.consistency() == Consistency.SNAPSHOT);
  }

  @Override
  public Mono<List<KvEntry<T>>> next(long wanted) {
    int size = (int) Math.min(Math.min(wanted, remaining), batchSize);
    ReadRange page = new ReadRange(start, end, size, options.reverse(), options.keysOnly());
    return snapshot.read(List.of(page), wanted).map(this::entries);
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
    } else if (options.reverse()) {
      end = last;
    } else {
      start = Arrays.copyOf(last, last.length + 1);
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
    snapshot.close();
  }
}
