package io.kvreactive.testkit;

import org.junit.jupiter.api.Nested;

/** The contracts on a store with files. */
class FileKvTest {
  @Nested
  class Reads extends ReadContract implements StoreFactory.OnDisk {}

  @Nested
  class Copies extends CopyContract implements StoreFactory.OnDisk {}

  @Nested
  class Lists extends ListContract implements StoreFactory.OnDisk {}

  @Nested
  class DeleteRanges extends DeleteRangeContract implements StoreFactory.OnDisk {}

  @Nested
  class Atomics extends AtomicContract implements StoreFactory.OnDisk {}

  @Nested
  class Arithmetics extends ArithmeticContract implements StoreFactory.OnDisk {}

  @Nested
  class Values extends ValueContract implements StoreFactory.OnDisk {}

  @Nested
  class Limits extends LimitContract implements StoreFactory.OnDisk {}

  @Nested
  class Snapshots extends SnapshotContract implements StoreFactory.OnDisk {}

  @Nested
  class Pages extends PageContract implements StoreFactory.OnDisk {}

  @Nested
  class Watchs extends WatchContract implements StoreFactory.OnDisk {}

  @Nested
  class Expiries extends ExpiryContract implements StoreFactory.OnDisk {}

  @Nested
  class CommitIds extends CommitIdContract implements StoreFactory.OnDisk {}

  @Nested
  class Changes extends ChangesContract implements StoreFactory.OnDisk {}

  @Nested
  class ListAndWatches extends ListAndWatchContract implements StoreFactory.OnDisk {}

  @Nested
  class Transactions extends TransactionContract implements StoreFactory.OnDisk {}

  @Nested
  class Bulks extends BulkContract implements StoreFactory.OnDisk {}

  @Nested
  class Queues extends QueueContract implements StoreFactory.OnDisk {}

  @Nested
  class QueueLeases extends QueueLeaseContract implements StoreFactory.OnDisk {}

  @Nested
  class Compactions extends CompactContract implements StoreFactory.OnDisk {}

  @Nested
  class Stats extends StatsContract implements StoreFactory.OnDisk {}

  @Nested
  class Lines extends LinesContract implements StoreFactory.OnDisk {}

  @Nested
  class Backups extends BackupContract implements StoreFactory.OnDisk {}
}
