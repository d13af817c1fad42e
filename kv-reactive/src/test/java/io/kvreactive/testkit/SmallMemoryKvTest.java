package io.kvreactive.testkit;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/**
 * The contracts on a store that continuously writes its image. The short form has those that write
 * enough for it; the others are the same as in {@link FileKvTest}.
 */
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
  @Tag("long")
  class Arithmetics extends ArithmeticContract implements StoreFactory.SmallMemory {}

  @Nested
  class Values extends ValueContract implements StoreFactory.SmallMemory {}

  @Nested
  @Tag("long")
  class Limits extends LimitContract implements StoreFactory.SmallMemory {}

  @Nested
  class Snapshots extends SnapshotContract implements StoreFactory.SmallMemory {}

  @Nested
  @Tag("long")
  class Pages extends PageContract implements StoreFactory.SmallMemory {}

  @Nested
  @Tag("long")
  class Watchs extends WatchContract implements StoreFactory.SmallMemory {}

  @Nested
  class Expiries extends ExpiryContract implements StoreFactory.SmallMemory {}

  @Nested
  class CommitIds extends CommitIdContract implements StoreFactory.SmallMemory {}

  @Nested
  class Changes extends ChangesContract implements StoreFactory.SmallMemory {}

  @Nested
  @Tag("long")
  class ListAndWatches extends ListAndWatchContract implements StoreFactory.SmallMemory {}

  @Nested
  @Tag("long")
  class Transactions extends TransactionContract implements StoreFactory.SmallMemory {}

  @Nested
  @Tag("long")
  class Bulks extends BulkContract implements StoreFactory.SmallMemory {}

  @Nested
  class Queues extends QueueContract implements StoreFactory.SmallMemory {}

  @Nested
  @Tag("long")
  class QueueLeases extends QueueLeaseContract implements StoreFactory.SmallMemory {}

  @Nested
  class Compactions extends CompactContract implements StoreFactory.SmallMemory {}

  @Nested
  class Stats extends StatsContract implements StoreFactory.SmallMemory {}

  @Nested
  @Tag("long")
  class Lines extends LinesContract implements StoreFactory.SmallMemory {}

  @Nested
  class Backups extends BackupContract implements StoreFactory.SmallMemory {}
}
