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
 * Reads complete ranges at one version. Engines return large reads in parts, but clients interpret
 * a range with fewer entries than the limit as complete. Most reads have one part and hold no
 * snapshot.
 */
final class RangeReader {
  /** Estimated memory in bytes of an entry besides key and value. */
  private static final int OVERHEAD = 64;

  private final ByteBudget.Share share;
  private final List<Rest> rests = new ArrayList<>();
  private @Nullable Versionstamp version;

  /** The entries of a range that were read, and its remaining part. */
  private static final class Rest {
    private final List<StoredEntry> read = new ArrayList<>();
    private @Nullable ReadRange left;

    Rest(ReadRange range) {
      this.left = range;
    }

    void add(ReadRange requested, RangePage page) {
      read.addAll(page.entries());
      int limit = requested.limit() - page.entries().size();
      byte[] last = page.resumeAfter();
      if (last == null || limit <= 0) {
        left = null;
      } else if (requested.reverse()) {
        left = new ReadRange(requested.start(), last, limit, true, false);
      } else {
        byte[] after = Arrays.copyOf(last, last.length + 1);
        left = new ReadRange(after, requested.end(), limit, false, false);
      }
    }
  }

  private RangeReader(List<ReadRange> ranges, ByteBudget.Share share) {
    this.share = share;
    ranges.forEach(range -> rests.add(new Rest(range)));
  }

  /**
   * Emits the read when it is complete, on any thread. Errors: LIMIT_EXCEEDED, OVERLOADED.
   *
   * @param share the share that is charged for the entries; the caller releases it
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
   * Returns the read if it can be completed without blocking; otherwise null, and {@link #of} must
   * be used.
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

  /**
   * Returns the reader to continue with at a snapshot: a new one if there were commits since the
   * first part.
   */
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
      ReadRange requested = rest.left;
      if (requested != null && pages.hasNext()) {
        RangePage page = pages.next();
        rest.add(requested, page);
        bytes += weight(page);
      }
    }
    take(bytes);
  }

  /** Charges memory for the response, which must be complete before it is sent. */
  private void take(long bytes) {
    if (share.taken() + bytes > ServerMemory.MAX_ANSWER_BYTES) {
      throw new KvException(
          KvErrorCode.LIMIT_EXCEEDED,
          "the response has more than %d bytes (expected: a read of fewer entries, such as a list with a smaller batchSize)"
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

  /** Returns the version of the read. */
  Versionstamp version() {
    return version == null ? Versionstamp.ZERO : version;
  }

  /** Returns the entries of each range, in the order of the request. */
  List<List<StoredEntry>> entries() {
    return rests.stream().map(rest -> rest.read).toList();
  }
}
