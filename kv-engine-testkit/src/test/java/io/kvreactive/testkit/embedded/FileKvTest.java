package io.kvreactive.testkit.embedded;

import io.kvreactive.testkit.ArithmeticContract;
import io.kvreactive.testkit.AtomicContract;
import io.kvreactive.testkit.BulkContract;
import io.kvreactive.testkit.ChangesContract;
import io.kvreactive.testkit.CommitIdContract;
import io.kvreactive.testkit.CompactContract;
import io.kvreactive.testkit.CopyContract;
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

/** The contracts on a store with files. */
class FileKvTest {
  @Nested
  class Reads extends ReadContract implements EmbeddedStore.OnDisk {}

  @Nested
  class Copies extends CopyContract implements EmbeddedStore.OnDisk {}

  @Nested
  class Lists extends ListContract implements EmbeddedStore.OnDisk {}

  @Nested
  class DeleteRanges extends DeleteRangeContract implements EmbeddedStore.OnDisk {}

  @Nested
  class Atomics extends AtomicContract implements EmbeddedStore.OnDisk {}

  @Nested
  class Arithmetics extends ArithmeticContract implements EmbeddedStore.OnDisk {}

  @Nested
  class Values extends ValueContract implements EmbeddedStore.OnDisk {}

  @Nested
  class Limits extends LimitContract implements EmbeddedStore.OnDisk {}

  @Nested
  class Snapshots extends SnapshotContract implements EmbeddedStore.OnDisk {}

  @Nested
  class Pages extends PageContract implements EmbeddedStore.OnDisk {}

  @Nested
  class Watchs extends WatchContract implements EmbeddedStore.OnDisk {}

  @Nested
  class Expiries extends ExpiryContract implements EmbeddedStore.OnDisk {}

  @Nested
  class CommitIds extends CommitIdContract implements EmbeddedStore.OnDisk {}

  @Nested
  class Changes extends ChangesContract implements EmbeddedStore.OnDisk {}

  @Nested
  class ListAndWatches extends ListAndWatchContract implements EmbeddedStore.OnDisk {}

  @Nested
  class Transactions extends TransactionContract implements EmbeddedStore.OnDisk {}

  @Nested
  class Bulks extends BulkContract implements EmbeddedStore.OnDisk {}

  @Nested
  class Queues extends QueueContract implements EmbeddedStore.OnDisk {}

  @Nested
  class QueueLeases extends QueueLeaseContract implements EmbeddedStore.OnDisk {}

  @Nested
  class Compactions extends CompactContract implements EmbeddedStore.OnDisk {
    @Override
    protected long compactedBytes() throws IOException {
      return EmbeddedStore.imageBytes(directory);
    }
  }

  @Nested
  class Stats extends StatsContract implements EmbeddedStore.OnDisk {}

  @Nested
  class Lines extends LinesContract implements EmbeddedStore.OnDisk {}

  @Nested
  class Backups extends BackupContract implements EmbeddedStore.OnDisk {}
}
