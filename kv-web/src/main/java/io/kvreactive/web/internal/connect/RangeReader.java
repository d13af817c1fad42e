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
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * Reads complete ranges at one version. Engines return large reads in parts, but clients interpret
 * a range with fewer entries than the limit as complete. Most reads have one part and hold no
 * snapshot.
 *
 * <p>If there is no memory for a later part, a read gives back what it has, waits for twice as
 * much, and begins again. Thus reads that begin together end one after another, instead of failing
 * together.
 */
final class RangeReader {
  /** Estimated memory in bytes of an entry besides key and value. */
  private static final int OVERHEAD = 64;

  /** Maximum size in bytes of a part in memory, to within one entry. */
  private static final long PART_BYTES = 1 << 20;

  /** Maximum time that a read waits for memory at once. */
  private static final Duration MAX_WAIT = Duration.ofSeconds(10);

  private final List<ReadRange> ranges;
  private final List<Rest> rests = new ArrayList<>();
  private @Nullable Versionstamp version;
  private long bytes; // memory of the entries
  private long granted; // memory that was taken for parts to come

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
    this.ranges = ranges;
    begin();
  }

  /** Begins at the first entry, and holds none. */
  private void begin() {
    rests.clear();
    ranges.forEach(range -> rests.add(new Rest(range)));
    bytes = 0;
  }

  /**
   * Emits the read when it is complete, on any thread. Errors: LIMIT_EXCEEDED; OVERLOADED if there
   * is no memory for the first part, or for the rest after 10 seconds.
   *
   * @param share the share from which memory for each part is taken before it is read; the caller
   *     releases it
   */
  static Mono<RangeReader> of(KvEngine engine, List<ReadRange> ranges, ByteBudget.Share share) {
    RangeReader read = new RangeReader(ranges);
    share.take(reservation(engine.limits(), ranges));
    return read.next(engine, null, share)
        .flatMap(first -> first.left().isEmpty() ? Mono.just(first) : first.rest(engine, share));
  }

  /** Reads the rest at a snapshot. */
  private Mono<RangeReader> rest(KvEngine engine, ByteBudget.Share share) {
    return Mono.usingWhen(
            engine.snapshot(),
            snapshot -> at(snapshot, share).rest(engine, snapshot, share),
            snapshot -> Mono.fromRunnable(snapshot::close))
        .flatMap(
            read ->
                read.left().isEmpty()
                    ? Mono.just(read)
                    : read.again(share).flatMap(more -> more.rest(engine, share)));
  }

  /** Gives back what was read, and emits this reader when there is memory for twice as much. */
  private Mono<RangeReader> again(ByteBudget.Share share) {
    long wanted = Math.min(2 * bytes + PART_BYTES, largest(share));
    share.give(bytes + granted);
    granted = wanted;
    begin();
    return Mono.<RangeReader>create(sink -> share.takeWhenFree(wanted, () -> sink.success(this)))
        .timeout(MAX_WAIT, Mono.error(() -> share.overloaded(wanted)));
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

  /** Begins again at a snapshot if there were commits since the first part. */
  private RangeReader at(KvEngine.Snapshot snapshot, ByteBudget.Share share) {
    if (!snapshot.versionstamp().equals(version)) {
      share.give(bytes);
      begin();
    }
    return this;
  }

  /** Emits this reader when the read is complete, or when there is no memory for the next part. */
  private Mono<RangeReader> rest(
      KvEngine engine, KvEngine.Snapshot snapshot, ByteBudget.Share share) {
    List<ReadRange> left = left();
    if (left.isEmpty()) {
      share.give(granted);
      return Mono.just(this);
    }
    return reserve(reservation(engine.limits(), left), share)
        ? next(engine, snapshot, share).flatMap(more -> more.rest(engine, snapshot, share))
        : Mono.just(this);
  }

  /**
   * Takes memory for a part, of which some may have been granted. Returns false if there is none.
   */
  private boolean reserve(long wanted, ByteBudget.Share share) {
    long more = Math.max(0, wanted - granted);
    if (bytes + wanted > largest(share)) {
      share.add(more); // waiting would not help, and the read ends with this part or exceeds it
    } else if (!share.tryTake(more)) {
      return false;
    }
    granted = Math.max(0, granted - wanted);
    return true;
  }

  /** Reads a part, for which memory was reserved. */
  private Mono<RangeReader> next(
      KvEngine engine, KvEngine.@Nullable Snapshot snapshot, ByteBudget.Share share) {
    List<ReadRange> left = left();
    long reserved = reservation(engine.limits(), left);
    return engine
        .read(left, snapshot, reserved)
        .map(
            part -> {
              long read = add(part);
              requireAtMost(largest(share));
              share.add(read - reserved); // usually negative
              return this;
            });
  }

  private static long largest(ByteBudget.Share share) {
    return Math.min(share.most(), ServerMemory.MAX_ANSWER_BYTES);
  }

  private void requireAtMost(long most) {
    if (bytes > most) {
      throw new KvException(
          KvErrorCode.LIMIT_EXCEEDED,
          "the response has more than %d bytes (expected: a read of fewer entries, such as a list with a smaller batchSize)"
              .formatted(most));
    }
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
