package io.kvreactive.index.internal.exec;

import static io.kvreactive.index.internal.worker.WorkerThread.checkpoint;

import io.kvreactive.index.internal.collection.PartitionPrefix;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.StoredEntry;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import org.roaringbitmap.longlong.Roaring64Bitmap;
import reactor.core.publisher.Mono;

/**
 * Collects the document ids of a partition from its ids. Loads no items, unless the long ids of all
 * partitions are in one range.
 */
final class PartitionItems {
  private static final int PAGE = 4096;

  private final SnapshotReader reader;
  private final QueryBudget budget;

  PartitionItems(SnapshotReader reader, QueryBudget budget) {
    this.reader = reader;
    this.budget = budget;
  }

  /** Emits the document ids of all items of the partition; some of them may have expired. */
  Mono<Roaring64Bitmap> collect(PartitionPrefix prefix) {
    return MonoFusion.flatMap(
        read(prefix.ids(PAGE)),
        found ->
            MonoFusion.flatMap(
                read(prefix.longIds(PAGE)),
                more -> {
                  if (!prefix.longIdsAreGrouped() && !more.isEmpty()) {
                    return filtered(prefix, found, more);
                  }
                  found.or(more);
                  return Mono.just(found);
                }));
  }

  /** Adds those of further items that belong to the partition. */
  private Mono<Roaring64Bitmap> filtered(
      PartitionPrefix prefix, Roaring64Bitmap found, Roaring64Bitmap more) {
    return ItemLoader.each(
        reader,
        CandidateSources.ofDocIds(more, 0),
        CoveringReader.NOT_COVERED,
        256,
        item -> {
          if (prefix.contains(item.document())) {
            found.addLong(item.docId());
          }
        },
        () -> found);
  }

  private Mono<Roaring64Bitmap> read(ReadRange ids) {
    Roaring64Bitmap found = new Roaring64Bitmap();
    ReadRange[] rest = {ids};
    boolean[] done = new boolean[1];
    long[] held = new long[1];
    return MonoFusion.until(
        () -> done[0],
        () -> reader.read(List.of(rest[0])),
        pages -> {
          RangePage page = pages.get(0);
          for (StoredEntry entry : page.entries()) {
            checkpoint();
            found.addLong(ByteBuffer.wrap(Objects.requireNonNull(entry.value()).bytes()).getLong());
          }
          reader.countEntries(page.entries().size());
          held[0] = budget.resize(held[0], found.getLongSizeInBytes());
          byte[] after = page.resumeAfter();
          done[0] = after == null;
          if (after != null) {
            rest[0] = rest[0].after(after);
          }
        },
        () -> found);
  }
}
