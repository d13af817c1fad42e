package io.kvreactive.documents.internal.exec;

import static io.kvreactive.documents.internal.worker.WorkerThread.checkpoint;

import io.kvreactive.documents.internal.collection.PartitionPrefix;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.StoredEntry;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import org.roaringbitmap.longlong.Roaring64Bitmap;

/**
 * Collects the document ids of a partition from its ids. Loads no items, unless the long ids of all
 * partitions are in one range.
 */
final class PartitionItems {
  private static final int PAGE = 4096;

  private final SnapshotReader reader;
  private final QueryBudget budget;
  private final OperatorStats stats;

  private final PartitionPrefix prefix;

  PartitionItems(SnapshotReader reader, PartitionPrefix prefix, QueryBudget budget) {
    this.reader = reader;
    this.prefix = prefix;
    this.budget = budget;
    this.stats =
        OperatorStats.of("partition", out -> prefix.values().forEach(out.putArray("key")::add));
  }

  /** Returns the counts of this operator. */
  OperatorStats stats() {
    return stats;
  }

  /** Returns the document ids of all items of the partition; some of them may have expired. */
  Roaring64Bitmap collect() {
    Roaring64Bitmap found = read(prefix.ids(PAGE));
    Roaring64Bitmap more = read(prefix.longIds(PAGE));
    if (prefix.longIdsAreGrouped()) {
      found.or(more);
    } else {
      ItemLoader loading = new ItemLoader(reader);
      stats.add(loading.stats());
      loading.each(
          CandidateSources.ofDocIds(more, 0, new OperatorStats("longIds")),
          CoveringReader.NOT_COVERED,
          256,
          item -> {
            if (prefix.contains(item.document())) {
              found.addLong(item.docId());
            }
          });
    }
    stats.pass(found.getLongCardinality());
    return found;
  }

  private Roaring64Bitmap read(ReadRange ids) {
    Roaring64Bitmap found = new Roaring64Bitmap();
    long held = 0;
    for (ReadRange rest = ids; rest != null; ) {
      RangePage page = reader.read(stats, List.of(rest)).get(0);
      for (StoredEntry entry : page.entries()) {
        checkpoint();
        found.addLong(ByteBuffer.wrap(Objects.requireNonNull(entry.value()).bytes()).getLong());
      }
      reader.countEntries(page.entries().size());
      held = budget.resize(held, found.getLongSizeInBytes());
      rest = page.rest(rest);
    }
    return found;
  }
}
