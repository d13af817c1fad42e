package io.kvreactive.web.internal.rest;

import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.ListOptions;
import io.kvreactive.Versionstamp;
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

/**
 * The entries that a response or a subscription has to read, in pages: those of a range, or of
 * single keys. A page after which they do not {@linkplain #advance continue} is read again. If the
 * first page is all, no snapshot is held. Calls must not overlap, apart from {@link #close}.
 *
 * <p>The pages read from the engine instead of {@code Kv.list}: stored bytes become JSON without
 * objects in between.
 */
public abstract sealed class EntryPages implements AutoCloseable {
  /** Estimated memory in bytes of an entry besides key and value. */
  static final int ENTRY_BYTES = 64;

  /**
   * A page.
   *
   * @param version the version that was read
   * @param entries the entries; null for a single key that is absent
   * @param keys the keys of the entries, for single keys only
   * @param resumeAfter the key after which a range continues; null at its end, and for single keys
   */
  public record Page(
      Versionstamp version,
      List<@Nullable StoredEntry> entries,
      List<KvKey> keys,
      byte @Nullable [] resumeAfter) {
    /** Returns the size of keys and values in bytes. */
    public long dataBytes() {
      long bytes = 0;
      for (StoredEntry entry : entries) {
        bytes += entry == null ? 0 : entry.bytes();
      }
      return bytes;
    }

    /** Returns the estimated size in memory. */
    public long bytes() {
      return dataBytes() + (long) ENTRY_BYTES * entries.size();
    }
  }

  private final ConsistentReads reads;
  long left; // entries
  private byte @Nullable [] resumeAfter;
  private boolean done;

  private EntryPages(ConsistentReads reads, long left) {
    this.reads = reads;
    this.left = left;
  }

  /**
   * Returns the pages of a range.
   *
   * @param options direction, cursor and parts of the entries, and the consistency of the pages
   * @param limit the maximum number of entries
   * @param looksAhead true to find with each page whether entries follow, by reading one more
   */
  public static EntryPages range(
      KvEngine engine, KvRange range, ListOptions options, long limit, boolean looksAhead) {
    return new OfRange(engine, range, options, limit, looksAhead);
  }

  /** Returns the pages of single keys, present or absent. */
  static EntryPages keys(KvEngine engine, List<KvKey> keys) {
    return new OfKeys(engine, keys);
  }

  /** Returns the maximum number of entries of the next page, if it has room for {@code most}. */
  public int count(int most) {
    return (int) Math.min(left, most);
  }

  /**
   * Emits the next page, on any thread of the engine.
   *
   * @param most the maximum number of entries
   * @param maxBytes the size of keys and values at which the page ends
   */
  public Mono<Page> next(int most, long maxBytes) {
    int count = count(most);
    return reads
        .read(ranges(count), maxBytes, result -> isLast(page(result, count)))
        .map(result -> page(result, count));
  }

  /** Returns what the next page reads. */
  abstract List<ReadRange> ranges(int count);

  /** Returns the page that was read. */
  abstract Page page(ReadResult result, int count);

  boolean isLast(Page page) {
    return page.entries().size() >= left;
  }

  /** Continues after a page. */
  public void advance(Page page) {
    done = isLast(page);
    left -= page.entries().size();
    resumeAfter = page.resumeAfter();
  }

  /** Returns true if nothing is left to read. */
  public boolean done() {
    return done;
  }

  /** Returns the key after which the entries of a range continue; null if there are no more. */
  public byte @Nullable [] resumeAfter() {
    return resumeAfter;
  }

  /** Releases the snapshot. May be called on any thread. */
  @Override
  public void close() {
    reads.close();
  }

  /** The entries of a range. */
  private static final class OfRange extends EntryPages {
    private final int more; // entries that are read to find whether they follow
    private ReadRange rest;

    OfRange(KvEngine engine, KvRange range, ListOptions options, long limit, boolean looksAhead) {
      super(
          new ConsistentReads(engine, options.consistency() == ListOptions.Consistency.SNAPSHOT),
          limit);
      KvRange whole = range.resume(options.cursor(), options.reverse());
      this.rest =
          new ReadRange(
              whole.startBytes(), whole.endBytes(), 1, options.reverse(), options.keysOnly());
      this.more = looksAhead ? 1 : 0;
    }

    @Override
    List<ReadRange> ranges(int count) {
      return List.of(rest.withLimit(count + more));
    }

    @Override
    Page page(ReadResult result, int count) {
      RangePage page = result.pages().get(0);
      List<@Nullable StoredEntry> entries = new ArrayList<>(count);
      boolean hasMore = page.entries().size() > count;
      entries.addAll(hasMore ? page.entries().subList(0, count) : page.entries());
      byte[] last = hasMore ? page.entries().get(count - 1).key() : page.resumeAfter();
      return new Page(result.snapshot(), entries, List.of(), last);
    }

    @Override
    boolean isLast(Page page) {
      return super.isLast(page) || page.resumeAfter() == null;
    }

    @Override
    public void advance(Page page) {
      super.advance(page);
      byte[] last = page.resumeAfter();
      rest = last == null ? rest : rest.after(last);
    }
  }

  /** The entries of single keys. */
  private static final class OfKeys extends EntryPages {
    private final List<KvKey> keys;

    OfKeys(KvEngine engine, List<KvKey> keys) {
      super(ConsistentReads.atSnapshot(engine), keys.size());
      this.keys = keys;
    }

    /** Returns the first of the keys that are left. */
    private List<KvKey> keys(int count) {
      int begin = keys.size() - (int) left;
      return keys.subList(begin, begin + count);
    }

    @Override
    List<ReadRange> ranges(int count) {
      return keys(count).stream().map(key -> ReadRange.point(key.bytes())).toList();
    }

    @Override
    Page page(ReadResult result, int count) {
      List<@Nullable StoredEntry> entries = new ArrayList<>(count);
      for (RangePage page : result.pages()) {
        entries.add(page.entries().isEmpty() ? null : page.entries().get(0));
      }
      return new Page(result.snapshot(), entries, keys(entries.size()), null);
    }
  }
}
