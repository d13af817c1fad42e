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
 * single keys. A page that was not {@linkplain #advance accepted} is read again. If the first page
 * is all, no snapshot is held. Calls must not overlap, apart from {@link #close}.
 *
 * <p>The pages read from the engine instead of {@code Kv.list}: stored bytes become JSON without
 * objects in between.
 */
public abstract class EntryPages implements AutoCloseable {
  /** Estimated memory in bytes of an entry besides key and value. */
  static final int ENTRY_BYTES = 64;

  /**
   * A page.
   *
   * @param version the version that was read
   * @param entries the entries; null for a single key that is absent
   * @param keys the keys of the entries if they are single keys, otherwise empty
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

  private EntryPages(ConsistentReads reads) {
    this.reads = reads;
  }

  /**
   * Returns the pages of a range.
   *
   * @param options direction, cursor and the parts of entries; the consistency, of which {@code
   *     SNAPSHOT} reads all pages at one version
   * @param limit the maximum number of entries
   * @param looksAhead true to find with each page whether entries follow, by reading one more
   */
  public static EntryPages range(
      KvEngine engine, KvRange range, ListOptions options, long limit, boolean looksAhead) {
    boolean atOneVersion = options.consistency() == ListOptions.Consistency.SNAPSHOT;
    return new OfRange(
        new ConsistentReads(engine, atOneVersion), range, options, limit, looksAhead);
  }

  /** Returns the pages of single keys, present or absent. */
  static EntryPages keys(KvEngine engine, List<KvKey> keys) {
    return new OfKeys(ConsistentReads.atSnapshot(engine), keys);
  }

  /** Returns the number of entries of the next page, if it has room for {@code most}. */
  public abstract int count(int most);

  /**
   * Emits the next page, on any thread of the engine.
   *
   * @param most the maximum number of entries
   * @param maxBytes the size of keys and values at which the page ends
   */
  public final Mono<Page> next(int most, long maxBytes) {
    int count = count(most);
    return reads
        .read(ranges(count), maxBytes, result -> isLast(page(result, count)))
        .map(result -> page(result, count));
  }

  abstract List<ReadRange> ranges(int count);

  abstract Page page(ReadResult result, int count);

  abstract boolean isLast(Page page);

  /** Continues after a page. */
  public abstract void advance(Page page);

  /** Returns true if nothing is left to read. */
  public abstract boolean done();

  /** Returns the key after which the entries of a range continue; null if there are no more. */
  public byte @Nullable [] resumeAfter() {
    return null;
  }

  /** Releases the snapshot. May be called on any thread. */
  @Override
  public final void close() {
    reads.close();
  }

  private static final class OfRange extends EntryPages {
    private final int more; // entries that are read to find whether they follow
    private ReadRange rest;
    private long left;
    private byte @Nullable [] resumeAfter;
    private boolean done;

    OfRange(
        ConsistentReads reads,
        KvRange range,
        ListOptions options,
        long limit,
        boolean looksAhead) {
      super(reads);
      KvRange whole = range.resume(options.cursor(), options.reverse());
      this.rest =
          new ReadRange(
              whole.startBytes(), whole.endBytes(), 1, options.reverse(), options.keysOnly());
      this.left = limit;
      this.more = looksAhead ? 1 : 0;
    }

    @Override
    public int count(int most) {
      return (int) Math.min(left, most);
    }

    @Override
    List<ReadRange> ranges(int count) {
      return List.of(rest.withLimit(count + more));
    }

    @Override
    @SuppressWarnings("unchecked") // a list that is only read
    Page page(ReadResult result, int count) {
      RangePage page = result.pages().get(0);
      List<@Nullable StoredEntry> entries = (List<@Nullable StoredEntry>) (List<?>) page.entries();
      byte[] last = page.resumeAfter();
      if (entries.size() > count) {
        entries = entries.subList(0, count);
        last = page.entries().get(count - 1).key();
      }
      return new Page(result.snapshot(), entries, List.of(), last);
    }

    @Override
    boolean isLast(Page page) {
      return page.resumeAfter() == null || page.entries().size() >= left;
    }

    @Override
    public void advance(Page page) {
      done = isLast(page);
      left -= page.entries().size();
      byte[] last = page.resumeAfter();
      resumeAfter = last;
      rest = last == null ? rest : rest.after(last);
    }

    @Override
    public boolean done() {
      return done;
    }

    @Override
    public byte @Nullable [] resumeAfter() {
      return resumeAfter;
    }
  }

  private static final class OfKeys extends EntryPages {
    private final List<KvKey> keys;
    private int at;

    OfKeys(ConsistentReads reads, List<KvKey> keys) {
      super(reads);
      this.keys = keys;
    }

    @Override
    public int count(int most) {
      return Math.min(keys.size() - at, most);
    }

    @Override
    List<ReadRange> ranges(int count) {
      return keys.subList(at, at + count).stream()
          .map(key -> ReadRange.point(key.bytes()))
          .toList();
    }

    @Override
    Page page(ReadResult result, int count) {
      List<@Nullable StoredEntry> entries = new ArrayList<>(result.pages().size());
      for (RangePage page : result.pages()) {
        entries.add(page.entries().isEmpty() ? null : page.entries().get(0));
      }
      return new Page(
          result.snapshot(), entries, keys.subList(at, at + entries.size()), null);
    }

    @Override
    boolean isLast(Page page) {
      return at + page.entries().size() == keys.size();
    }

    @Override
    public void advance(Page page) {
      at += page.entries().size();
    }

    @Override
    public boolean done() {
      return at == keys.size();
    }
  }
}
