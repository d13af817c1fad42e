package io.kvreactive.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.Kv;
import io.kvreactive.KvKey;
import io.kvreactive.KvStats;
import io.kvreactive.testkit.ArithmeticContract;
import io.kvreactive.testkit.AtomicContract;
import io.kvreactive.testkit.BulkContract;
import io.kvreactive.testkit.ChangesContract;
import io.kvreactive.testkit.CommitIdContract;
import io.kvreactive.testkit.CopyContract;
import io.kvreactive.testkit.DeleteRangeContract;
import io.kvreactive.testkit.ExpiryContract;
import io.kvreactive.testkit.KvContract;
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
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * The contracts on a schema of a PostgreSQL server. The engine has no backups and no compaction. Of
 * the contracts of what is built on the calls of an engine, and of deletions of ranges in various
 * states of files, the short form has a part.
 */
@ExtendWith(VertxExtension.class)
class PostgresKvTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private static Kv open;

  /** Opens a store for as long as the tests run, so that their stores share connections. */
  @BeforeAll
  static void share(Vertx vertx) {
    open = Kv.open(vertx, TestServer.options("open")).block(TIMEOUT);
  }

  @AfterAll
  static void close() {
    open.close().block(TIMEOUT);
  }

  @Nested
  class Reads extends ReadContract implements OnPostgres {}

  @Nested
  @Tag("long")
  class Copies extends CopyContract implements OnPostgres {}

  @Nested
  class Lists extends ListContract implements OnPostgres {}

  @Nested
  @Tag("long")
  class DeleteRanges extends DeleteRangeContract implements OnPostgres {}

  @Nested
  class Atomics extends AtomicContract implements OnPostgres {}

  @Nested
  class Arithmetics extends ArithmeticContract implements OnPostgres {}

  @Nested
  @Tag("long")
  class Values extends ValueContract implements OnPostgres {}

  @Nested
  class Limits extends LimitContract implements OnPostgres {}

  @Nested
  class Snapshots extends SnapshotContract implements OnPostgres {}

  @Nested
  @Tag("long")
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
  @Tag("long")
  class ListAndWatches extends ListAndWatchContract implements OnPostgres {}

  @Nested
  @Tag("long")
  class Transactions extends TransactionContract implements OnPostgres {}

  @Nested
  @Tag("long")
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
    public void reportsKeysAndBytes() {
      KvStats.Storage before = get(kv.admin().stats()).storage();
      for (int i = 0; i < 30; i++) {
        set(KvKey.of("k", i % 20), "x".repeat(100));
      }
      get(kv.delete(KvKey.of("k", 0)));
      get(kv.delete(KvKey.of("nothing")));
      KvStats.Storage after = get(kv.admin().stats()).storage();
      assertThat(after.keys()).isEqualTo(19);
      assertThat(after.memoryBytes()).isZero();
      assertThat(after.logBytes() - before.logBytes()).isGreaterThan(30 * 100);
      assertThat(after.imageBytes()).isPositive();
    }

    /** The engine counts keys, and estimates nothing. */
    @Override
    @Test
    @Tag("long")
    public void estimatesManyKeysInMemoryByASample() {
      super.estimatesManyKeysInMemoryByASample();
    }
  }

  @Nested
  @Tag("long")
  class Lines extends LinesContract implements OnPostgres {}

  @Nested
  @Tag("short")
  class Some {
    @TempDir private Path directory;
    private Vertx vertx;

    @BeforeEach
    void use(Vertx vertx) {
      this.vertx = vertx;
    }

    private <C extends KvContract> void run(C contract, Consumer<C> test) {
      contract.open(directory, vertx);
      try {
        test.accept(contract);
      } finally {
        contract.close();
      }
    }

    @Test
    void copyThisStore() {
      run(
          new Copies(),
          copies -> {
            copies.openMemory();
            copies.copiesThisStoreWhileItIsWritten();
            copies.closeMemory();
          });
    }

    @Test
    void deleteManyKeys() {
      run(new DeleteRanges(), deletions -> deletions.deletesFreshKeysAndKeepsTheNeighbours(1500));
    }

    @Test
    void deleteKeysSetBefore() {
      run(new DeleteRanges(), deletions -> deletions.deletesKeysSetBeforeAndKeepsKeysSetAfter(10));
    }

    @Test
    void sumAfterADeletion() {
      run(new DeleteRanges(), deletions -> deletions.sumsFromZeroAfterADeletion(10));
    }

    @Test
    void checkKeysOfADeletedRange() {
      run(new DeleteRanges(), deletions -> deletions.checksKeysOfADeletedRange(10));
    }

    @Test
    void deleteARangeTwice() {
      run(new DeleteRanges(), DeleteRanges::deletesARangeTwiceWithWritesInBetween);
    }

    @Test
    void deleteNothing() {
      run(
          new DeleteRanges(),
          deletions -> {
            deletions.deletesNothingForAnEmptyRange();
            deletions.remembersTheIdOfAnOperationWithoutEffect();
          });
    }

    @Test
    void deleteAThousandRanges() {
      run(new DeleteRanges(), DeleteRanges::limitsACommitToAThousandRanges);
    }

    @Test
    void storeValuesOfAllEncodings() {
      run(new Values(), Values::keepsTheEncodingsOfBytesAndU64);
    }

    @Test
    void storeValuesOfManySizes() {
      run(new Values(), Values::roundTripsValuesOfManySizes);
    }

    @Test
    void listAndWatch() {
      run(new ListAndWatches(), lists -> lists.emitsEventsThatReproduceTheStore(1));
    }

    @Test
    void conflictOnPhantoms() {
      run(new Transactions(), Transactions::conflictsOnPhantoms);
    }

    @Test
    void conflictOnTheDeletionOfAThousandKeys() {
      run(new Transactions(), Transactions::conflictsOnTheDeletionOfAThousandKeysOfARange);
    }

    @Test
    void conflictWithinTheConsumedPartOfAList() {
      run(new Transactions(), Transactions::conflictsOnlyWithinTheConsumedPartOfAList);
    }

    @Test
    void conflictOnTheExpiryOfAReadKey() {
      run(new Transactions(), Transactions::conflictsOnTheExpiryOfAReadKey);
    }

    @Test
    void conflictOnWriteSkew() {
      run(new Transactions(), Transactions::conflictsOnWriteSkew);
    }

    @Test
    void loseNoUpdate() {
      run(new Transactions(), Transactions::losesNoUpdate);
    }

    @Test
    void loadInAnyOrder() {
      run(new Bulks(), Bulks::loadsInAnyOrder);
    }

    @Test
    void importLines() {
      run(new Lines(), Lines::importsKeysValuesAndExpiry);
    }
  }
}
