package io.kvreactive.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertAll;

import io.kvreactive.KvKey;
import io.kvreactive.KvStats;
import java.util.function.Consumer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/**
 * The contracts on a schema of a PostgreSQL server. The engine has no backups and no compaction.
 */
class PostgresKvTest {
  @Nested
  class Reads extends ReadContract implements OnPostgres {}

  @Nested
  class Copies extends CopyContract implements OnPostgres {}

  @Nested
  class Lists extends ListContract implements OnPostgres {}

  @Nested
  class DeleteRanges extends DeleteRangeContract implements OnPostgres {}

  @Nested
  class Atomics extends AtomicContract implements OnPostgres {}

  @Nested
  class Arithmetics extends ArithmeticContract implements OnPostgres {
    @Override // is run for all rows below
    void changesAStoredNumberOrFails(Object given) {
      super.changesAStoredNumberOrFails(given);
    }

    @Override // is run for all rows below
    void changesANumberSetInTheSameOperation(Object given) {
      super.changesANumberSetInTheSameOperation(given);
    }

    /** The rows in one store, as a store for each of them takes long to open. */
    @Test
    void changeStoredNumbersOrFail() {
      each(this::changesAStoredNumberOrFails);
    }

    @Test
    void changeNumbersSetInTheSameOperation() {
      each(this::changesANumberSetInTheSameOperation);
    }

    private void each(Consumer<Object> test) {
      for (Object row : rows().toList()) {
        get(kv.delete(KvKey.of("k")));
        assertAll(row.toString(), () -> test.accept(row));
      }
    }
  }

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
  class Stats extends StatsContract implements OnPostgres {
    /** The engine has no memory and no log of its own; there is one table of changes. */
    @Override
    @Test
    void reportsKeysAndBytes() {
      KvStats.Storage before = get(kv.stats()).storage();
      for (int i = 0; i < 30; i++) {
        set(KvKey.of("k", i % 20), "x".repeat(100));
      }
      get(kv.delete(KvKey.of("k", 0)));
      get(kv.delete(KvKey.of("nothing")));
      KvStats.Storage after = get(kv.stats()).storage();
      assertThat(after.keys()).isEqualTo(19);
      assertThat(after.memoryBytes()).isZero();
      assertThat(after.logBytes() - before.logBytes()).isGreaterThan(30 * 100);
      assertThat(after.imageBytes()).isPositive();
    }
  }

  @Nested
  class Lines extends LinesContract implements OnPostgres {}
}
