package io.kvreactive.web.internal.connect;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvLimits;
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

  /** Maximum size in bytes of a part in memory, to within one entry. */
  private static final long PART_BYTES = 1 << 20;

  private final List<Rest> rests = new ArrayList<>();
  private @Nullable Versionstamp version;
  private long bytes; // memory of the entries

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

  private RangeReader(List<ReadRange> ranges) {
    ranges.forEach(range -> rests.add(new Rest(range)));
  }

  /**
   * Emits the read when it is complete, on any thread. Errors: LIMIT_EXCEEDED, OVERLOADED.
   *
   * @param share the share from which memory for each part is taken before it is read; the caller
   *     releases it
   */
  static Mono<RangeReader> of(KvEngine engine, List<ReadRange> ranges, ByteBudget.Share share) {
    RangeReader read = new RangeReader(ranges);
    return read.next(engine, null, share)
        .flatMap(
            first ->
                first.left().isEmpty()
                    ? Mono.just(first)
                    : Mono.usingWhen(
                        engine.snapshot(),
                        snapshot -> first.at(snapshot, ranges, share).rest(engine, snapshot, share),
                        snapshot -> Mono.fromRunnable(snapshot::close)));
  }

  /**
   * Returns the read if it can be completed without blocking; otherwise null, and {@link #of} must
   * be used.
   */
  static @Nullable RangeReader now(KvEngine engine, List<ReadRange> ranges) {
    ReadResult all = engine.readNow(ranges);
    if (all == null) {
      return null;
    }
    RangeReader read = new RangeReader(ranges);
    read.add(all);
    return read;
  }

  /**
   * Returns the reader to continue with at a snapshot: a new one if there were commits since the
   * first part.
   */
  private RangeReader at(
      KvEngine.Snapshot snapshot, List<ReadRange> ranges, ByteBudget.Share share) {
    if (snapshot.versionstamp().equals(version)) {
      return this;
    }
    share.give(bytes);
    return new RangeReader(ranges);
  }

  private Mono<RangeReader> rest(
      KvEngine engine, KvEngine.Snapshot snapshot, ByteBudget.Share share) {
    return left().isEmpty()
        ? Mono.just(this)
        : next(engine, snapshot, share).flatMap(more -> more.rest(engine, snapshot, share));
  }

  /** Reads a part, for which memory is reserved. */
  private Mono<RangeReader> next(
      KvEngine engine, KvEngine.@Nullable Snapshot snapshot, ByteBudget.Share share) {
    List<ReadRange> left = left();
    long reserved = reservation(engine.limits(), left);
    share.take(reserved);
    return engine
        .read(left, snapshot, reserved)
        .map(
            part -> {
              long read = add(part);
              share.add(read - reserved); // usually negative
              return this;
            });
  }

  private static long reservation(KvLimits limits, List<ReadRange> ranges) {
    long entries = 0;
    for (ReadRange range : ranges) {
      entries += range.limit();
    }
    return Math.min(
        PART_BYTES, entries * (OVERHEAD + (long) limits.maxKeyBytes() + limits.maxValueBytes()));
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

  /** Adds the entries of a part. Returns their size in memory. */
  private long add(ReadResult part) {
    version = part.snapshot();
    var pages = part.pages().iterator();
    long more = 0;
    for (Rest rest : rests) {
      ReadRange requested = rest.left;
      if (requested != null && pages.hasNext()) {
        RangePage page = pages.next();
        rest.add(requested, page);
        more += weight(page);
      }
    }
    bytes += more;
    if (bytes > ServerMemory.MAX_ANSWER_BYTES) {
      throw new KvException(
          KvErrorCode.LIMIT_EXCEEDED,
          "the response has more than %d bytes (expected: a read of fewer entries, such as a list with a smaller batchSize)"
              .formatted(ServerMemory.MAX_ANSWER_BYTES));
    }
    return more;
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
