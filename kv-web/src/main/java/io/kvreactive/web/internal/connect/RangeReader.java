package io.kvreactive.web.internal.connect;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvLimits;
import io.kvreactive.Versionstamp;
import io.kvreactive.spi.ConsistentReads;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.ReadResult;
import io.kvreactive.spi.StoredEntry;
import io.kvreactive.web.internal.http.ByteBudget;
import io.kvreactive.web.internal.http.ServerMemory;
import java.time.Duration;
import java.util.ArrayList;
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
 * together. It asks for at most three quarters of the memory of its caller, of which only one read
 * can have that much, while other requests hold some.
 */
final class RangeReader {
  /** Estimated memory in bytes of an entry besides key and value. */
  private static final int OVERHEAD = 64;

  /** Maximum size in bytes of a part in memory, to within one entry. */
  private static final long PART_BYTES = 1 << 20;

  /** Maximum time that a read waits for memory, less than clients wait for an answer. */
  private static final Duration MAX_WAIT = Duration.ofSeconds(5);

  private final List<ReadRange> ranges;
  private final List<Remaining> remaining = new ArrayList<>();
  private @Nullable Versionstamp version;
  private long bytes; // memory of the entries

  /** The entries of a range that were read, and its remaining part. */
  private static final class Remaining {
    private final List<StoredEntry> read = new ArrayList<>();
    private @Nullable ReadRange left;

    Remaining(ReadRange range) {
      this.left = range;
    }

    void add(ReadRange requested, RangePage page) {
      read.addAll(page.entries());
      ReadRange rest = isAll(requested, page) ? null : page.rest(requested);
      left = rest == null ? null : rest.withLimit(requested.limit() - page.entries().size());
    }
  }

  private RangeReader(List<ReadRange> ranges) {
    this.ranges = ranges;
    begin();
  }

  /** Begins at the first entry, and holds none. */
  private void begin() {
    remaining.clear();
    ranges.forEach(range -> remaining.add(new Remaining(range)));
    bytes = 0;
  }

  /**
   * Emits the read when it is complete, on any thread. Errors: LIMIT_EXCEEDED; OVERLOADED if there
   * is no memory for the first part, or for the rest after 5 seconds of waiting.
   *
   * @param share the share from which memory for each part is taken before it is read; the caller
   *     releases it
   */
  static Mono<RangeReader> of(KvEngine engine, List<ReadRange> ranges, ByteBudget.Share share) {
    return new Parts(engine, new RangeReader(ranges), share).read();
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
    read.requireAtMost(ServerMemory.MAX_ANSWER_BYTES);
    return read;
  }

  /** Reads parts as there is memory for them. */
  private static final class Parts {
    private final KvLimits limits;
    private final ConsistentReads reads;
    private final RangeReader read;
    private final ByteBudget.Share share;
    private final long largest;
    private long granted; // memory that was taken for parts to come
    private Duration patience = MAX_WAIT; // the remaining time to wait for memory

    Parts(KvEngine engine, RangeReader read, ByteBudget.Share share) {
      this.limits = engine.limits();
      this.reads = new ConsistentReads(engine, true);
      this.read = read;
      this.share = share;
      this.largest = Math.min(share.most(), ServerMemory.MAX_ANSWER_BYTES);
    }

    Mono<RangeReader> read() {
      share.take(reservation(read.left()));
      return readPart().doFinally(end -> reads.close());
    }

    /** Reads a part, for which memory was taken, and then the rest. */
    private Mono<RangeReader> readPart() {
      List<ReadRange> left = read.left();
      long reserved = reservation(left);
      return reads
          .read(left, reserved, part -> isAll(left, part))
          .flatMap(
              part -> {
                long more = read.add(part);
                read.requireAtMost(largest);
                share.add(more - reserved); // usually negative
                return readRest();
              });
    }

    private Mono<RangeReader> readRest() {
      List<ReadRange> left = read.left();
      if (left.isEmpty()) {
        share.give(granted);
        return Mono.just(read);
      }
      return reserve(reservation(left)) ? readPart() : restart();
    }

    /** Takes memory for a part, of which some may have been granted. False if there is none. */
    private boolean reserve(long wanted) {
      long more = Math.max(0, wanted - granted);
      if (read.bytes + wanted > largest) {
        share.add(more); // waiting would not help, and the read ends with this part or exceeds it
      } else if (!share.tryTake(more)) {
        return false;
      }
      granted = Math.max(0, granted - wanted);
      return true;
    }

    /** Gives back what was read, and begins again when there is memory for twice as much. */
    private Mono<RangeReader> restart() {
      long given = read.bytes + granted;
      long wanted = Math.min(2 * read.bytes + PART_BYTES, share.most() / 4 * 3);
      read.begin();
      reads.restart();
      granted = wanted;
      share.give(given);
      long begun = System.nanoTime();
      return Mono.create(sink -> share.takeWhenFree(wanted, sink::success))
          .timeout(patience, Mono.error(() -> share.overloaded(wanted)))
          .then(
              Mono.defer(
                  () -> {
                    patience = patience.minusNanos(System.nanoTime() - begun);
                    return readRest();
                  }));
    }

    private long reservation(List<ReadRange> ranges) {
      long entries = 0;
      for (ReadRange range : ranges) {
        entries += range.limit();
      }
      return Math.min(
          PART_BYTES, entries * (OVERHEAD + (long) limits.maxKeyBytes() + limits.maxValueBytes()));
    }
  }

  private void requireAtMost(long most) {
    if (bytes > most) {
      throw new KvException(
          KvErrorCode.LIMIT_EXCEEDED,
          "the response has more than %d bytes ".formatted(most)
              + "(expected: a read of fewer entries, such as a list with a smaller batchSize)");
    }
  }

  /** Returns true if a result, which may omit later ranges, has all that was requested. */
  private static boolean isAll(List<ReadRange> requested, ReadResult result) {
    List<RangePage> pages = result.pages();
    for (int i = 0; i < pages.size(); i++) {
      if (!isAll(requested.get(i), pages.get(i))) {
        return false;
      }
    }
    return pages.size() == requested.size();
  }

  private static boolean isAll(ReadRange requested, RangePage page) {
    return page.isLast() || page.entries().size() >= requested.limit();
  }

  private List<ReadRange> left() {
    List<ReadRange> left = new ArrayList<>();
    for (Remaining range : remaining) {
      if (range.left != null) {
        left.add(range.left);
      }
    }
    return left;
  }

  /** Adds the entries of a part. Returns their size in memory. */
  private long add(ReadResult part) {
    version = part.snapshot();
    var pages = part.pages().iterator();
    long more = 0;
    for (Remaining range : remaining) {
      ReadRange requested = range.left;
      if (requested != null && pages.hasNext()) {
        RangePage page = pages.next();
        range.add(requested, page);
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
    return remaining.stream().map(range -> range.read).toList();
  }
}
