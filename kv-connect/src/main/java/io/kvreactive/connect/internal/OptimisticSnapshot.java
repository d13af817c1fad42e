package io.kvreactive.connect.internal;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.Versionstamp;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.ReadResult;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/**
 * A snapshot of some keys on a server without history. Each read repeats all earlier reads, and
 * fails with SNAPSHOT_TOO_OLD if one of the keys has changed. The values read are therefore those
 * at the version of the last read.
 */
final class OptimisticSnapshot implements KvEngine.Snapshot {
  private final Function<List<ReadRange>, Mono<ReadResult>> reader;
  private final Versionstamp atLeast;

  // guarded by this
  private final Map<ByteBuffer, ReadRange> requested = new LinkedHashMap<>();
  private final Map<ByteBuffer, Optional<Versionstamp>> known = new HashMap<>();

  /**
   * @param reader reads at the newest version
   * @param atLeast the minimum version of the snapshot
   */
  OptimisticSnapshot(Function<List<ReadRange>, Mono<ReadResult>> reader, Versionstamp atLeast) {
    this.reader = reader;
    this.atLeast = atLeast;
  }

  /** Returns a lower bound of the version of the values read. */
  @Override
  public Versionstamp versionstamp() {
    return atLeast;
  }

  Mono<ReadResult> read(List<ReadRange> points) {
    for (ReadRange range : points) {
      if (!range.isPoint()) {
        return Mono.error(
            new KvException(
                KvErrorCode.UNSUPPORTED,
                "a range at a snapshot of a remote store (expected: keys; or a list with BATCH consistency, not in a transaction)"));
      }
    }
    List<ReadRange> all = all(points);
    return reader.apply(all).map(result -> consistent(result, all, points));
  }

  /** Returns the requested keys and all earlier ones, without duplicates. */
  private synchronized List<ReadRange> all(List<ReadRange> points) {
    Map<ByteBuffer, ReadRange> all = new LinkedHashMap<>();
    points.forEach(point -> all.putIfAbsent(key(point), point));
    requested.forEach(all::putIfAbsent);
    points.forEach(point -> requested.putIfAbsent(key(point), withoutValue(point)));
    return List.copyOf(all.values());
  }

  private static ReadRange withoutValue(ReadRange point) {
    return new ReadRange(point.start(), point.end(), 1, false, true);
  }

  private static ByteBuffer key(ReadRange point) {
    return ByteBuffer.wrap(point.start());
  }

  private synchronized ReadResult consistent(
      ReadResult result, List<ReadRange> all, List<ReadRange> points) {
    if (result.pages().size() < all.size()) {
      throw new KvException(
          KvErrorCode.LIMIT_EXCEEDED,
          "keys at one snapshot of a remote store: %d (expected: at most %d, or smaller values)"
              .formatted(all.size(), result.pages().size()));
    }
    Map<ByteBuffer, RangePage> pages = new HashMap<>();
    for (int i = 0; i < all.size(); i++) {
      ByteBuffer key = key(all.get(i));
      RangePage page = result.pages().get(i);
      Optional<Versionstamp> stamp = page.entries().stream().findFirst().map(e -> e.versionstamp());
      Optional<Versionstamp> before = known.putIfAbsent(key, stamp);
      if (before != null && !before.equals(stamp)) {
        throw new KvException(
            KvErrorCode.SNAPSHOT_TOO_OLD,
            "key " + KvKey.fromEncoded(all.get(i).start()) + " has changed since it was read");
      }
      pages.put(key, page);
    }
    List<RangePage> answer = new ArrayList<>(points.size());
    for (ReadRange point : points) {
      RangePage page = pages.get(key(point));
      if (page == null) {
        throw new IllegalStateException("a key was not read");
      }
      answer.add(page);
    }
    return new ReadResult(result.snapshot(), answer);
  }

  @Override
  public void close() {
    // nothing is held
  }
}
