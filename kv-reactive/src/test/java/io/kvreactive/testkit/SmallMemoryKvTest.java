package io.kvreactive.testkit;

import org.junit.jupiter.api.Nested;

/** The contracts on a store that continuously writes its image. */
class SmallMemoryKvTest {
  @Nested
  class Reads extends ReadContract implements StoreFactory.SmallMemory {}

  @Nested
  class Lists extends ListContract implements StoreFactory.SmallMemory {}

  @Nested
  class DeleteRanges extends DeleteRangeContract implements StoreFactory.SmallMemory {}

  @Nested
  class Atomics extends AtomicContract implements StoreFactory.SmallMemory {}

  @Nested
  class Arithmetics extends ArithmeticContract implements StoreFactory.SmallMemory {}

  @Nested
  class Values extends ValueContract implements StoreFactory.SmallMemory {}

  @Nested
  class Limits extends LimitContract implements StoreFactory.SmallMemory {}

  @Nested
  class Snapshots extends SnapshotContract implements StoreFactory.SmallMemory {}

  @Nested
  class Pages extends PageContract implements StoreFactory.SmallMemory {}

  @Nested
  class Watchs extends WatchContract implements StoreFactory.SmallMemory {}

  @Nested
  class Expiries extends ExpiryContract implements StoreFactory.SmallMemory {}

  @Nested
  class CommitIds extends CommitIdContract implements StoreFactory.SmallMemory {}

  @Nested
  class Changes extends ChangesContract implements StoreFactory.SmallMemory {}

  @Nested
  class ListAndWatches extends ListAndWatchContract implements StoreFactory.SmallMemory {}

  @Nested
  class Transactions extends TransactionContract implements StoreFactory.SmallMemory {}

  @Nested
  class Bulks extends BulkContract implements StoreFactory.SmallMemory {}

  @Nested
  class Queues extends QueueContract implements StoreFactory.SmallMemory {}

  @Nested
  class QueueLeases extends QueueLeaseContract implements StoreFactory.SmallMemory {}

  @Nested
  class Compactions extends CompactContract implements StoreFactory.SmallMemory {}

  @Nested
  class Stats extends StatsContract implements StoreFactory.SmallMemory {}

  @Nested
  class Lines extends LinesContract implements StoreFactory.SmallMemory {}

  @Nested
  class Backups extends BackupContract implements StoreFactory.SmallMemory {}
}
