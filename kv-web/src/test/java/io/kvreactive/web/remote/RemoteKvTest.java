package io.kvreactive.web.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.KvKey;
import io.kvreactive.testkit.ArithmeticContract;
import io.kvreactive.testkit.AtomicContract;
import io.kvreactive.testkit.BulkContract;
import io.kvreactive.testkit.CommitIdContract;
import io.kvreactive.testkit.CopyContract;
import io.kvreactive.testkit.ExpiryContract;
import io.kvreactive.testkit.LimitContract;
import io.kvreactive.testkit.LinesContract;
import io.kvreactive.testkit.ListContract;
import io.kvreactive.testkit.PageContract;
import io.kvreactive.testkit.ReadContract;
import io.kvreactive.testkit.SnapshotContract;
import io.kvreactive.testkit.TransactionContract;
import io.kvreactive.testkit.ValueContract;
import io.kvreactive.testkit.WatchContract;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import reactor.test.StepVerifier;

/** The contracts on a store behind a server; {@link OutOfReach} has the exceptions. */
class RemoteKvTest {
  @Nested
  class Reads extends ReadContract implements Remote {}

  @Nested
  class Copies extends CopyContract implements Remote {}

  @Nested
  class Lists extends ListContract implements Remote {}

  @Nested
  class Atomics extends AtomicContract implements Remote {}

  @Nested
  class Arithmetics extends ArithmeticContract implements Remote {}

  @Nested
  class Values extends ValueContract implements Remote {}

  @Nested
  class Limits extends LimitContract implements Remote {}

  @Nested
  class Snapshots extends SnapshotContract implements Remote {}

  @Nested
  class Pages extends PageContract implements Remote {}

  @Nested
  class Watchs extends WatchContract implements Remote {
    /**
     * A watch may emit older states before that of an answered commit, because both cross the
     * network.
     */
    @Override
    @Test
    public void slowSubscriberGetsTheNewestState() {
      KvKey key = KvKey.of("w", "a");
      AtomicInteger emitted = new AtomicInteger();
      StepVerifier.create(
              kv.watch(List.of(key), Integer.class)
                  .map(state -> state.get(0).exists() ? state.get(0).required() : -1)
                  .doOnNext(ignored -> emitted.incrementAndGet()),
              0)
          .then(() -> IntStream.range(0, 100).forEach(i -> set(key, i)))
          .thenRequest(Long.MAX_VALUE)
          .thenConsumeWhile(value -> value < 99)
          .expectNext(99)
          .thenCancel()
          .verify(TIMEOUT);
      assertThat(emitted.get()).isLessThan(50);
    }
  }

  @Nested
  class Expiries extends ExpiryContract implements Remote {}

  @Nested
  class CommitIds extends CommitIdContract implements Remote {}

  @Nested
  class Transactions extends TransactionContract implements Remote {}

  @Nested
  class Bulks extends BulkContract implements Remote {}

  @Nested
  class Lines extends LinesContract implements Remote {}
}
