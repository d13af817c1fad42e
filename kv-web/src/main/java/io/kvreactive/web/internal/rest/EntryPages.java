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
public final class EntryPages implements AutoCloseable {
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
  private final List<KvKey> keys; // empty for a range
  private final int more; // entries of a range that are read to find whether they follow
  private ReadRange rest; // of a range
  private long left; // entries
  private byte @Nullable [] resumeAfter;
  private boolean done;

  private EntryPages(
      ConsistentReads reads, List<KvKey> keys, ReadRange rest, long left, boolean looksAhead) {
    this.reads = reads;
    this.keys = keys;
    this.rest = rest;
    this.left = left;
    this.more = looksAhead ? 1 : 0;
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
    KvRange whole = range.resume(options.cursor(), options.reverse());
    return new EntryPages(
        new ConsistentReads(engine, options.consistency() == ListOptions.Consistency.SNAPSHOT),
        List.of(),
        new ReadRange(
            whole.startBytes(), whole.endBytes(), 1, options.reverse(), options.keysOnly()),
        limit,
        looksAhead);
  }

  /** Returns the pages of single keys, present or absent. */
  static EntryPages keys(KvEngine engine, List<KvKey> keys) {
    ReadRange none = ReadRange.point(KvKey.EMPTY.bytes());
    return new EntryPages(ConsistentReads.atSnapshot(engine), keys, none, keys.size(), false);
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
    List<ReadRange> ranges =
        keys.isEmpty()
            ? List.of(rest.withLimit(count + more))
            : keys(count).stream().map(key -> ReadRange.point(key.bytes())).toList();
    return reads
        .read(ranges, maxBytes, result -> isLast(page(result, count)))
        .map(result -> page(result, count));
  }

  private List<KvKey> keys(int count) {
    int begin = keys.size() - (int) left;
    return keys.subList(begin, begin + count);
  }

  private Page page(ReadResult result, int count) {
    List<@Nullable StoredEntry> entries = new ArrayList<>(count);
    if (!keys.isEmpty()) {
      for (RangePage page : result.pages()) {
        entries.add(page.entries().isEmpty() ? null : page.entries().get(0));
      }
      return new Page(result.snapshot(), entries, keys(entries.size()), null);
    }
    RangePage page = result.pages().get(0);
    boolean hasMore = page.entries().size() > count;
    entries.addAll(hasMore ? page.entries().subList(0, count) : page.entries());
    byte[] last = hasMore ? page.entries().get(count - 1).key() : page.resumeAfter();
    return new Page(result.snapshot(), entries, List.of(), last);
  }

  private boolean isLast(Page page) {
    return page.entries().size() >= left || keys.isEmpty() && page.resumeAfter() == null;
  }

  /** Continues after a page. */
  public void advance(Page page) {
    done = isLast(page);
    left -= page.entries().size();
    byte[] last = page.resumeAfter();
    resumeAfter = last;
    rest = last == null ? rest : rest.after(last);
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
}
