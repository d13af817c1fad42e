package io.kvreactive.testkit.embedded;

import io.kvreactive.testkit.ArithmeticContract;
import io.kvreactive.testkit.AtomicContract;
import io.kvreactive.testkit.BulkContract;
import io.kvreactive.testkit.ChangesContract;
import io.kvreactive.testkit.CommitIdContract;
import io.kvreactive.testkit.CompactContract;
import io.kvreactive.testkit.DeleteRangeContract;
import io.kvreactive.testkit.ExpiryContract;
import io.kvreactive.testkit.LimitContract;
import io.kvreactive.testkit.LinesContract;
import io.kvreactive.testkit.ListAndWatchContract;
import io.kvreactive.testkit.ListContract;
import io.kvreactive.testkit.PageContract;
import io.kvreactive.testkit.QueueContract;
import io.kvreactive.testkit.QueueLeaseContract;
import io.kvreactive.testkit.ReadContract;
import io.kvreactive.testkit.SnapshotContract;
import io.kvreactive.testkit.StatsContract;
import io.kvreactive.testkit.TransactionContract;
import io.kvreactive.testkit.ValueContract;
import io.kvreactive.testkit.WatchContract;
import java.io.IOException;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/**
 * The contracts on a store without files. The short form has those in which files could make a
 * difference.
 */
class MemoryKvTest {
  @Nested
  class Reads extends ReadContract implements EmbeddedStore.InMemory {}

  @Nested
  class Lists extends ListContract implements EmbeddedStore.InMemory {}

  @Nested
  class DeleteRanges extends DeleteRangeContract implements EmbeddedStore.InMemory {}

  @Nested
  class Atomics extends AtomicContract implements EmbeddedStore.InMemory {}

  @Nested
  @Tag("long")
  class Arithmetics extends ArithmeticContract implements EmbeddedStore.InMemory {}

  @Nested
  @Tag("long")
  class Values extends ValueContract implements EmbeddedStore.InMemory {}

  @Nested
  @Tag("long")
  class Limits extends LimitContract implements EmbeddedStore.InMemory {}

  @Nested
  class Snapshots extends SnapshotContract implements EmbeddedStore.InMemory {}

  @Nested
  @Tag("long")
  class Pages extends PageContract implements EmbeddedStore.InMemory {}

  @Nested
  class Watchs extends WatchContract implements EmbeddedStore.InMemory {}

  @Nested
  class Expiries extends ExpiryContract implements EmbeddedStore.InMemory {}

  @Nested
  @Tag("long")
  class CommitIds extends CommitIdContract implements EmbeddedStore.InMemory {}

  @Nested
  class Changes extends ChangesContract implements EmbeddedStore.InMemory {}

  @Nested
  class ListAndWatches extends ListAndWatchContract implements EmbeddedStore.InMemory {}

  @Nested
  @Tag("long")
  class Transactions extends TransactionContract implements EmbeddedStore.InMemory {}

  @Nested
  @Tag("long")
  class Bulks extends BulkContract implements EmbeddedStore.InMemory {}

  @Nested
  class Queues extends QueueContract implements EmbeddedStore.InMemory {}

  @Nested
  @Tag("long")
  class QueueLeases extends QueueLeaseContract implements EmbeddedStore.InMemory {}

  @Nested
  class Compactions extends CompactContract implements EmbeddedStore.InMemory {
    @Override
    protected long compactedBytes() throws IOException {
      return EmbeddedStore.imageBytes(directory);
    }
  }

  @Nested
  class Stats extends StatsContract implements EmbeddedStore.InMemory {}

  @Nested
  @Tag("long")
  class Lines extends LinesContract implements EmbeddedStore.InMemory {}

  @Nested
  class Backups extends BackupContract implements EmbeddedStore.InMemory {}
}
