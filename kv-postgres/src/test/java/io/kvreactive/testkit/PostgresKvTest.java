package io.kvreactive.testkit;

import org.junit.jupiter.api.Nested;

/** The contracts on a schema of a PostgreSQL server. The engine has no backups and no compaction. */
class PostgresKvTest {
  @Nested
  class Reads extends ReadContract implements OnPostgres {}

  @Nested
  class Lists extends ListContract implements OnPostgres {}

  @Nested
  class DeleteRanges extends DeleteRangeContract implements OnPostgres {}

  @Nested
  class Atomics extends AtomicContract implements OnPostgres {}

  @Nested
  class Arithmetics extends ArithmeticContract implements OnPostgres {}

  @Nested
  class Values extends ValueContract implements OnPostgres {}

  @Nested
  class Limits extends LimitContract implements OnPostgres {}

  @Nested
  class Snapshots extends SnapshotContract implements OnPostgres {}

  @Nested
  class Pages extends PageContract implements OnPostgres {}

  @Nested
  class Watchs extends WatchContract implements OnPostgres {}

  @Nested
  class Expiries extends ExpiryContract implements OnPostgres {}

  @Nested
  class CommitIds extends CommitIdContract implements OnPostgres {}

  @Nested
  class Changes extends ChangesContract implements OnPostgres {}

  @Nested
  class ListAndWatches extends ListAndWatchContract implements OnPostgres {}

  @Nested
  class Transactions extends TransactionContract implements OnPostgres {}

  @Nested
  class Bulks extends BulkContract implements OnPostgres {}

  @Nested
  class Queues extends QueueContract implements OnPostgres {}

  @Nested
  class QueueLeases extends QueueLeaseContract implements OnPostgres {}

  @Nested
  class Stats extends StatsContract implements OnPostgres {}

  @Nested
  class Lines extends LinesContract implements OnPostgres {}
}
