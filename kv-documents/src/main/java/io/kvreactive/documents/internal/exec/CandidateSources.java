package io.kvreactive.documents.internal.exec;

import static io.kvreactive.documents.internal.worker.WorkerThread.checkpoint;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.kvreactive.documents.internal.encoding.ValueDecoding.DecodedValue;
import io.kvreactive.documents.internal.layout.EntryKeys;
import io.kvreactive.documents.internal.plan.AccessClass;
import io.kvreactive.documents.internal.plan.AccessPath;
import io.kvreactive.documents.internal.sql.DerivedTables;
import io.kvreactive.documents.internal.store.StoredItem;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.StoredEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.longlong.LongIterator;
import org.roaringbitmap.longlong.Roaring64Bitmap;

/** Static methods that create the sources that read one input. */
final class CandidateSources {
  private CandidateSources() {}

  /** Returns the empty source. */
  static CandidateSource none() {
    return ofList(List.of(), new OperatorStats("empty"));
  }

  /**
   * Returns a source of known candidates, in their order.
   *
   * @param stats the counts of the operator that made the candidates
   */
  static CandidateSource ofList(List<Candidate> all, OperatorStats stats) {
    return new ListSource(all, stats);
  }

  /**
   * Returns a source of items with known document ids, in id order.
   *
   * @param after the document id after which the source starts; 0 for all items
   * @param stats the counts of the operator that collected the document ids
   */
  static CandidateSource ofDocIds(Roaring64Bitmap docIds, long after, OperatorStats stats) {
    return new BitmapSource(docIds, after, stats);
  }

  /**
   * Returns a source of all items, in document id order.
   *
   * @param after the document id after which the source starts; 0 for all items
   */
  static CandidateSource ofItems(SnapshotReader reader, long after) {
    return new FullScanSource(reader, after, false, false);
  }

  /** Returns a source of all items, which are not loaded and may have expired. */
  static CandidateSource ofItemKeys(SnapshotReader reader) {
    return new FullScanSource(reader, 0, true, false);
  }

  /** Returns a source of the indexed items only, for plans made for an index. */
  static CandidateSource ofIndexedItems(SnapshotReader reader) {
    return new FullScanSource(reader, 0, false, true);
  }

  /**
   * Returns a source of the items of a scan, in entry order. An item with several entries is
   * returned several times.
   *
   * @param after the entry after which the source starts; null for all entries
   * @param test the test of the value after the equal ones; null for none
   */
  static CandidateSource ofScan(
      SnapshotReader reader,
      AccessPath.Scan scan,
      byte @Nullable [] after,
      @Nullable Predicate<DecodedValue> test) {
    return new ScanSource(reader, scan, after, test);
  }

  /**
   * Returns a source of one item for each value of an index, or for each combination of first
   * values. Items whose entries have no exact value are all returned.
   *
   * @param scan the scan of an index in which no item has expired
   * @param width the number of the first values that matter
   */
  static CandidateSource distinct(SnapshotReader reader, AccessPath.Scan scan, int width) {
    return new DistinctSource(reader, scan, width);
  }

  /**
   * Returns a source of the items of another source that pass a test after loading.
   *
   * @param kind the kind of the positions; null to keep the positions of {@code source}
   */
  static CandidateSource filtered(
      SnapshotReader reader,
      CandidateSource source,
      Predicate<Candidate> test,
      ScanPosition.@Nullable Kind kind) {
    return new FilteredSource(reader, source, test, kind);
  }

  /**
   * Returns a source of the rows of a subquery in FROM, each in an object that stands for an item.
   */
  static CandidateSource ofRows(RowCursor rows) {
    return new SubquerySource(rows);
  }

  private static final class ListSource extends CandidateSource {
    private final List<Candidate> all;
    private int at;

    ListSource(List<Candidate> all, OperatorStats stats) {
      super(stats);
      this.all = all;
    }

    @Override
    List<Candidate> more(int wanted) {
      int from = at;
      at = Math.min(all.size(), at + Math.max(1, wanted));
      return all.subList(from, at);
    }

    @Override
    boolean done() {
      return at >= all.size();
    }
  }

  private static final class BitmapSource extends CandidateSource {
    private final LongIterator docIds;

    BitmapSource(Roaring64Bitmap docIds, long after, OperatorStats stats) {
      super(stats);
      this.docIds = docIds.getLongIteratorFrom(after + 1);
    }

    @Override
    List<Candidate> more(int wanted) {
      List<Candidate> found = new ArrayList<>(wanted);
      while (found.size() < wanted && docIds.hasNext()) {
        found.add(Candidate.of(docIds.next()));
      }
      return found;
    }

    @Override
    boolean done() {
      return !docIds.hasNext();
    }
  }

  private static final class FullScanSource extends CandidateSource {
    private final SnapshotReader reader;
    private final boolean keysOnly;
    private final boolean indexedOnly;
    private @Nullable ReadRange rest;

    FullScanSource(SnapshotReader reader, long after, boolean keysOnly, boolean indexedOnly) {
      super(new OperatorStats(keysOnly ? "keyScan" : AccessClass.FULL_SCAN.text()));
      this.reader = reader;
      this.keysOnly = keysOnly;
      this.indexedOnly = indexedOnly;
      byte[] start = after == 0 ? reader.keys().itemsStart() : reader.keys().itemsFrom(after + 1);
      this.rest = new ReadRange(start, reader.keys().itemsEnd(), 1, false, keysOnly);
    }

    @Override
    List<Candidate> more(int wanted) {
      if (rest == null) {
        return List.of();
      }
      RangePage page = reader.read(stats(), List.of(rest.withLimit(wanted))).get(0);
      List<Candidate> found = new ArrayList<>(page.entries().size());
      for (StoredEntry entry : page.entries()) {
        checkpoint();
        long docId = reader.keys().docIdOfItem(entry.key());
        if (keysOnly) {
          found.add(Candidate.of(docId));
          continue;
        }
        StoredItem item = reader.item(entry);
        if (reader.isAlive(item) && (item.indexed() || !indexedOnly)) {
          found.add(Candidate.of(docId).with(item));
        }
      }
      rest = page.rest(rest);
      return found;
    }

    @Override
    boolean done() {
      return rest == null;
    }
  }

  private static final class ScanSource extends CandidateSource {
    private final EntryReader entryReader;
    private final int tested;
    private final @Nullable Predicate<DecodedValue> test;

    ScanSource(
        SnapshotReader reader,
        AccessPath.Scan scan,
        byte @Nullable [] after,
        @Nullable Predicate<DecodedValue> test) {
      super(OperatorStats.of(scan));
      this.entryReader = entries(reader, scan, stats());
      this.tested = scan.equal().size();
      this.test = test;
      if (after != null) {
        entryReader.skipTo(after);
      }
    }

    @Override
    List<Candidate> more(int wanted) {
      Predicate<DecodedValue> check = test;
      return check == null
          ? entryReader.next(wanted)
          : entryReader.next(Math.max(wanted, 256)).stream()
              .filter(candidate -> passes(candidate, check))
              .toList();
    }

    private boolean passes(Candidate candidate, Predicate<DecodedValue> check) {
      return candidate.entry() == null
          || candidate.entry().values().size() <= tested
          || check.test(candidate.entry().values().get(tested));
    }

    @Override
    ScanPosition start() {
      return ScanPosition.item(ScanPosition.Kind.ENTRIES, 0);
    }

    @Override
    boolean done() {
      return entryReader.done();
    }
  }

  private static EntryReader entries(
      SnapshotReader reader, AccessPath.Scan scan, OperatorStats stats) {
    EntryKeys keys = reader.keysOf(scan.index());
    return new EntryReader(
        reader, keys, ScanRanges.of(scan.index(), keys, scan.equal(), scan.ranges()), false, stats);
  }

  private static final class DistinctSource extends CandidateSource {
    private final EntryReader entryReader;
    private final LooseIndexScan firsts;

    DistinctSource(SnapshotReader reader, AccessPath.Scan scan, int width) {
      super(OperatorStats.of("skipScan", scan.index(), scan.equal(), scan.ranges()));
      this.entryReader = entries(reader, scan, stats());
      this.firsts = new LooseIndexScan(entryReader, reader.keysOf(scan.index()), width, false);
    }

    @Override
    List<Candidate> more(int wanted) {
      return firsts.next();
    }

    @Override
    boolean done() {
      return entryReader.done();
    }
  }

  private static final class FilteredSource extends CandidateSource {
    private final ItemLoader loading;
    private final CandidateSource source;
    private final Predicate<Candidate> test;
    private final ScanPosition.@Nullable Kind kind;

    FilteredSource(
        SnapshotReader reader,
        CandidateSource source,
        Predicate<Candidate> test,
        ScanPosition.@Nullable Kind kind) {
      super(OperatorStats.optional("filter"));
      this.loading = newLoader(reader, source.stats());
      this.source = source;
      this.test = test;
      this.kind = kind;
    }

    @Override
    List<Candidate> more(int wanted) {
      if (loading.done()) {
        loading.add(source.next(wanted));
      }
      List<Candidate> loaded = loading.next();
      List<Candidate> kept = new ArrayList<>(loaded.size());
      for (Candidate candidate : loaded) {
        if (test.test(candidate)) {
          kept.add(
              kind == null ? candidate : candidate.at(ScanPosition.item(kind, candidate.docId())));
        }
      }
      return kept;
    }

    @Override
    boolean done() {
      return loading.done() && source.done();
    }
  }

  private static final class SubquerySource extends CandidateSource {
    private final RowCursor rows;
    private long number;

    SubquerySource(RowCursor rows) {
      super(rows.stats());
      this.rows = rows;
    }

    @Override
    List<Candidate> next(int wanted) {
      return more(wanted); // the cursor counts its rows
    }

    @Override
    List<Candidate> more(int wanted) {
      List<RowCursor.NumberedRow> some = rows.next(wanted);
      List<Candidate> found = new ArrayList<>(some.size());
      for (RowCursor.NumberedRow row : some) {
        number++;
        found.add(
            Candidate.of(number)
                .withPartialDocument(
                    JsonNodeFactory.instance.objectNode().set(DerivedTables.ROW, row.value())));
      }
      return found;
    }

    @Override
    boolean done() {
      return rows.done();
    }
  }
}
