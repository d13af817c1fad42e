package io.kvreactive.testkit;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/**
 * The contracts on a store without files. The short form has those in which files could make a
 * difference.
 */
class MemoryKvTest {
  @Nested
  class Reads extends ReadContract implements StoreFactory.InMemory {}

  @Nested
  class Lists extends ListContract implements StoreFactory.InMemory {}

  @Nested
  class DeleteRanges extends DeleteRangeContract implements StoreFactory.InMemory {}

  @Nested
  class Atomics extends AtomicContract implements StoreFactory.InMemory {}

  @Nested
  @Tag("long")
  class Arithmetics extends ArithmeticContract implements StoreFactory.InMemory {}

  @Nested
  @Tag("long")
  class Values extends ValueContract implements StoreFactory.InMemory {}

  @Nested
  @Tag("long")
  class Limits extends LimitContract implements StoreFactory.InMemory {}

  @Nested
  class Snapshots extends SnapshotContract implements StoreFactory.InMemory {}

  @Nested
  @Tag("long")
  class Pages extends PageContract implements StoreFactory.InMemory {}

  @Nested
  class Watchs extends WatchContract implements StoreFactory.InMemory {}

  @Nested
  class Expiries extends ExpiryContract implements StoreFactory.InMemory {}

  @Nested
  @Tag("long")
  class CommitIds extends CommitIdContract implements StoreFactory.InMemory {}

  @Nested
  class Changes extends ChangesContract implements StoreFactory.InMemory {}

  @Nested
  class ListAndWatches extends ListAndWatchContract implements StoreFactory.InMemory {}

  @Nested
  @Tag("long")
  class Transactions extends TransactionContract implements StoreFactory.InMemory {}

  @Nested
  @Tag("long")
  class Bulks extends BulkContract implements StoreFactory.InMemory {}

  @Nested
  class Queues extends QueueContract implements StoreFactory.InMemory {}

  @Nested
  @Tag("long")
  class QueueLeases extends QueueLeaseContract implements StoreFactory.InMemory {}

  @Nested
  class Compactions extends CompactContract implements StoreFactory.InMemory {}

  @Nested
  class Stats extends StatsContract implements StoreFactory.InMemory {}

  @Nested
  @Tag("long")
  class Lines extends LinesContract implements StoreFactory.InMemory {}

  @Nested
  class Backups extends BackupContract implements StoreFactory.InMemory {}
}
