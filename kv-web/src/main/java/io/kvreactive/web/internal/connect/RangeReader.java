package io.kvreactive.web.internal.connect;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.Versionstamp;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.ReadResult;
import io.kvreactive.spi.StoredEntry;
import io.kvreactive.web.internal.http.ByteBudget;
import io.kvreactive.web.internal.http.ServerMemory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * Reads ranges whole, at one version. Engines answer large reads in parts; clients take a range
 * with fewer entries than asked for its end. Most reads need one part and hold no snapshot.
 */
final class RangeReader {
  /** What an entry takes beside its key and value, about. */
  private static final int OVERHEAD = 64;

  private final ByteBudget.Share share;
  private final List<Rest> rests = new ArrayList<>();
  private @Nullable Versionstamp version;

  /** What has been read of a range, and what is left of it. */
  private static final class Rest {
    private final List<StoredEntry> read = new ArrayList<>();
    private @Nullable ReadRange left;

    Rest(ReadRange range) {
      this.left = range;
    }

    void add(ReadRange asked, RangePage page) {
      read.addAll(page.entries());
      int limit = asked.limit() - page.entries().size();
      byte[] last = page.resumeAfter();
      if (last == null || limit <= 0) {
        left = null;
      } else if (asked.reverse()) {
        left = new ReadRange(asked.start(), last, limit, true, false);
      } else {
        byte[] after = Arrays.copyOf(last, last.length + 1);
        left = new ReadRange(after, asked.end(), limit, false, false);
      }
    }
  }

  private RangeReader(List<ReadRange> ranges, ByteBudget.Share share) {
    this.share = share;
    ranges.forEach(range -> rests.add(new Rest(range)));
  }

  /**
   * Emits the read when it is done.
   *
   * @param share takes what they weigh, and is not released here
   */
  static Mono<RangeReader> of(KvEngine engine, List<ReadRange> ranges, ByteBudget.Share share) {
    RangeReader read = new RangeReader(ranges, share);
    return engine
        .read(ranges, null)
        .flatMap(
            first -> {
              read.add(first);
              return read.left().isEmpty()
                  ? Mono.just(read)
                  : Mono.usingWhen(
                      engine.snapshot(),
                      snapshot -> read.at(snapshot, ranges).rest(engine, snapshot),
                      snapshot -> Mono.fromRunnable(snapshot::close));
            });
  }

  /**
   * The read, when an event loop can do it by itself; else null, and {@link #of} is to be asked.
   */
  static @Nullable RangeReader now(
      KvEngine engine, List<ReadRange> ranges, ByteBudget.Share share) {
    ReadResult all = engine.readNow(ranges);
    if (all == null) {
      return null;
    }
    RangeReader read = new RangeReader(ranges, share);
    read.add(all);
    return read;
  }

  /** Goes on at a snapshot; from the beginning, when there were commits since the first part. */
  private RangeReader at(KvEngine.Snapshot snapshot, List<ReadRange> ranges) {
    return snapshot.versionstamp().equals(version) ? this : new RangeReader(ranges, share);
  }

  private Mono<RangeReader> rest(KvEngine engine, KvEngine.Snapshot snapshot) {
    List<ReadRange> left = left();
    return left.isEmpty()
        ? Mono.just(this)
        : engine
            .read(left, snapshot)
            .flatMap(
                part -> {
                  add(part);
                  return rest(engine, snapshot);
                });
  }

  private List<ReadRange> left() {
    List<ReadRange> left = new ArrayList<>();
    for (Rest rest : rests) {
      if (rest.left != null) {
        left.add(rest.left);
      }
    }
    return left;
  }

  private void add(ReadResult part) {
    version = part.snapshot();
    var pages = part.pages().iterator();
    long bytes = 0;
    for (Rest rest : rests) {
      ReadRange asked = rest.left;
      if (asked != null && pages.hasNext()) {
        RangePage page = pages.next();
        rest.add(asked, page);
        bytes += weight(page);
      }
    }
    take(bytes);
  }

  /** Takes more of the memory for answers, all of which have to be whole before they are sent. */
  private void take(long bytes) {
    if (share.taken() + bytes > ServerMemory.MAX_ANSWER_BYTES) {
      throw new KvException(
          KvErrorCode.LIMIT_EXCEEDED,
          "the answer has more than %d bytes (expected: a read of fewer entries, such as a list with a smaller batchSize)"
              .formatted(ServerMemory.MAX_ANSWER_BYTES));
    }
    share.take(bytes);
  }

  private static long weight(RangePage page) {
    long bytes = 0;
    for (StoredEntry entry : page.entries()) {
      bytes += OVERHEAD + entry.bytes();
    }
    return bytes;
  }

  /** The version that all of it was read at. */
  Versionstamp version() {
    return version == null ? Versionstamp.ZERO : version;
  }

  /** The entries of each range. */
  List<List<StoredEntry>> entries() {
    return rests.stream().map(rest -> rest.read).toList();
  }
}
