package io.kvreactive.web.internal.rest;

import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.ListOptions;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.ReadResult;
import io.kvreactive.spi.StoredEntry;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The entries that a response has to read, in parts. Calls must not overlap. */
public abstract class EntryCursor {
  /**
   * An entry of a response.
   *
   * @param entry the entry, or null if the key is absent
   */
  record Row(byte[] key, @Nullable StoredEntry entry) {}

  private EntryCursor() {}

  /**
   * Returns a cursor over a range.
   *
   * @param limit the maximum number of entries
   */
  public static EntryCursor range(KvRange range, ListOptions options, long limit) {
    return new OfRange(range, options, limit);
  }

  /** Returns a cursor over single keys, present or absent. */
  static EntryCursor keys(List<KvKey> keys) {
    return new OfKeys(keys);
  }

  /** Returns the ranges to read next, which have at most {@code most} entries together. */
  public abstract List<ReadRange> next(int most);

  /** Returns true if a result has everything that is left. */
  public abstract boolean isAll(ReadResult result);

  /** Returns the entries of a result of {@link #next}. */
  abstract List<Row> rows(ReadResult result);

  /** Continues after a result of {@link #next}. */
  public abstract void advance(ReadResult result);

  /** Returns true if nothing is left to read. */
  public abstract boolean done();

  /** Returns the key after which the entries of a range continue; null if there are no more. */
  public byte @Nullable [] resumeAfter() {
    return null;
  }

  private static final class OfRange extends EntryCursor {
    private ReadRange rest;
    private long left;
    private byte @Nullable [] resumeAfter;
    private boolean done;

    OfRange(KvRange range, ListOptions options, long limit) {
      KvRange whole = range.resume(options.cursor(), options.reverse());
      this.rest =
          new ReadRange(
              whole.startBytes(), whole.endBytes(), 1, options.reverse(), options.keysOnly());
      this.left = limit;
    }

    @Override
    public List<ReadRange> next(int most) {
      return List.of(rest.withLimit((int) Math.min(left, most)));
    }

    @Override
    public boolean isAll(ReadResult result) {
      RangePage page = result.pages().get(0);
      return page.resumeAfter() == null || page.entries().size() >= left;
    }

    @Override
    List<Row> rows(ReadResult result) {
      List<StoredEntry> entries = result.pages().get(0).entries();
      return entries.stream().map(entry -> new Row(entry.key(), entry)).toList();
    }

    @Override
    public void advance(ReadResult result) {
      done = isAll(result);
      RangePage page = result.pages().get(0);
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

  private static final class OfKeys extends EntryCursor {
    private final List<KvKey> keys;
    private int at;

    OfKeys(List<KvKey> keys) {
      this.keys = keys;
    }

    @Override
    public List<ReadRange> next(int most) {
      return keys.subList(at, Math.min(keys.size(), at + most)).stream()
          .map(key -> ReadRange.point(key.bytes()))
          .toList();
    }

    @Override
    public boolean isAll(ReadResult result) {
      return at + result.pages().size() == keys.size();
    }

    @Override
    List<Row> rows(ReadResult result) {
      List<Row> rows = new ArrayList<>(result.pages().size());
      for (RangePage page : result.pages()) {
        StoredEntry entry = page.entries().isEmpty() ? null : page.entries().get(0);
        rows.add(new Row(keys.get(at + rows.size()).bytes(), entry));
      }
      return rows;
    }

    @Override
    public void advance(ReadResult result) {
      at += result.pages().size();
    }

    @Override
    public boolean done() {
      return at == keys.size();
    }
  }
}
