package io.kvreactive.internal.api;

import io.kvreactive.KvEntry;
import io.kvreactive.KvKey;
import io.kvreactive.KvType;
import io.kvreactive.internal.shared.PagedFlux.Pages;
import io.kvreactive.internal.value.ValueMapper;
import io.kvreactive.spi.ConsistentReads;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.ReadRange;
import java.util.List;
import reactor.core.publisher.Mono;

/** The pages of a getMany: parts of the list of keys, all read at one version. */
final class PointPages<T> implements Pages<KvEntry<T>> {
  private static final int PAGE = 500;

  private final List<KvKey> keys;
  private final ValueMapper values;
  private final KvType<T> type;
  private final ConsistentReads reads;
  private volatile int read;

  PointPages(KvEngine engine, List<KvKey> keys, ValueMapper values, KvType<T> type) {
    this.keys = keys;
    this.values = values;
    this.type = type;
    this.reads =
        keys.size() > 1 ? ConsistentReads.atSnapshot(engine) : new ConsistentReads(engine, false);
  }

  @Override
  public Mono<List<KvEntry<T>>> next(long wanted) {
    int from = read;
    int size = (int) Math.min(Math.min(wanted, PAGE), keys.size() - from);
    List<KvKey> slice = keys.subList(from, from + size);
    List<ReadRange> points = slice.stream().map(key -> ReadRange.point(key.bytes())).toList();
    return reads
        .read(
            points,
            RangePages.maxBytes(wanted),
            result -> from + result.pages().size() == keys.size())
        .map(
            result -> {
              int answered = result.pages().size();
              read = from + answered;
              return EntryMapper.all(result, slice.subList(0, answered), values, type);
            });
  }

  @Override
  public boolean done() {
    return read == keys.size();
  }

  @Override
  public void close() {
    reads.close();
  }
}
