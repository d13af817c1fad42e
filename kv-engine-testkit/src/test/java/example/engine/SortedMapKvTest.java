package example.engine;

import io.kvreactive.testkit.ArithmeticContract;
import io.kvreactive.testkit.AtomicContract;
import io.kvreactive.testkit.BulkContract;
import io.kvreactive.testkit.ChangesContract;
import io.kvreactive.testkit.CommitIdContract;
import io.kvreactive.testkit.CopyContract;
import io.kvreactive.testkit.DeleteRangeContract;
import io.kvreactive.testkit.ExpiryContract;
import io.kvreactive.testkit.LimitContract;
import io.kvreactive.testkit.LinesContract;
import io.kvreactive.testkit.ListAndWatchContract;
import io.kvreactive.testkit.ListContract;
import io.kvreactive.testkit.PageContract;
import io.kvreactive.testkit.ReadContract;
import io.kvreactive.testkit.SnapshotContract;
import io.kvreactive.testkit.TransactionContract;
import io.kvreactive.testkit.ValueContract;
import io.kvreactive.testkit.WatchContract;
import org.junit.jupiter.api.Nested;

/** All contracts but those of queues, statistics and compaction, which this engine has not. */
class SortedMapKvTest {
  // snippet: contract
  @Nested
  class Reads extends ReadContract implements OnSortedMap {}

  // end

  @Nested
  class Copies extends CopyContract implements OnSortedMap {}

  @Nested
  class Lists extends ListContract implements OnSortedMap {}

  @Nested
  class DeleteRanges extends DeleteRangeContract implements OnSortedMap {}

  @Nested
  class Atomics extends AtomicContract implements OnSortedMap {}

  @Nested
  class Arithmetics extends ArithmeticContract implements OnSortedMap {}

  @Nested
  class Values extends ValueContract implements OnSortedMap {}

  @Nested
  class Limits extends LimitContract implements OnSortedMap {}

  @Nested
  class Snapshots extends SnapshotContract implements OnSortedMap {}

  @Nested
  class Pages extends PageContract implements OnSortedMap {}

  @Nested
  class Watches extends WatchContract implements OnSortedMap {}

  @Nested
  class Expiries extends ExpiryContract implements OnSortedMap {}

  @Nested
  class CommitIds extends CommitIdContract implements OnSortedMap {}

  @Nested
  class Changes extends ChangesContract implements OnSortedMap {}

  @Nested
  class ListAndWatches extends ListAndWatchContract implements OnSortedMap {}

  @Nested
  class Transactions extends TransactionContract implements OnSortedMap {}

  @Nested
  class Bulks extends BulkContract implements OnSortedMap {}

  @Nested
  class Lines extends LinesContract implements OnSortedMap {}
}
