package io.kvreactive.internal.engine;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.kvreactive.KvValue;
import io.kvreactive.internal.store.Store;
import io.kvreactive.internal.store.StoreOptions;
import io.kvreactive.internal.store.log.CommitRecord;
import io.kvreactive.spi.ChangesRequest;
import io.kvreactive.spi.CommittedChanges;
import io.kvreactive.spi.StoredChange;
import io.kvreactive.stress.Signals;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.Z_Result;

/** A {@link ChangeFeed} emits a commit that is published when the feed goes to rest. */
@JCStressTest
@Outcome(id = "true", expect = ACCEPTABLE, desc = "the commit was emitted")
@Outcome(id = ".*", expect = FORBIDDEN, desc = "the feed rests, and was not woken for the commit")
@State
public class FeedRestRace {
  private static final byte[] KEY = {1};
  private static final byte[] END = {2};
  private static final Store STORE = Store.open(StoreOptions.of(null, true, 1 << 20), () -> {});
  private static final TimerThread NO_TIMERS = new TimerThread("race", () -> 0);

  static {
    NO_TIMERS.close();
  }

  private final FeedHub hub = new FeedHub(NO_TIMERS, () -> 0, STORE::horizon, STORE.visible());
  private final Commits commits = new Commits();
  private long committed;

  private static final class Commits extends Signals<CommittedChanges> {
    @Override
    public void onNext(CommittedChanges element) {
      if (!element.changes().isEmpty()) {
        super.onNext(element);
        return;
      }
      // a bookmark, before the feed goes to rest: a slow subscriber leaves time for a commit
      for (int i = ThreadLocalRandom.current().nextInt(1000); i > 0; i--) {
        Thread.onSpinWait();
      }
    }
  }

  public FeedRestRace() {
    ChangesRequest request = new ChangesRequest(KEY, END, null, 3_600_000, false);
    ChangeFeed feed =
        new ChangeFeed(commits, request, STORE, STORE.changes(STORE.visible()), Runnable::run, hub);
    hub.add(feed);
    feed.subscribe();
  }

  /** The only thread that commits, as that of a store. */
  @Actor
  public void commit() {
    STORE.stage((view, version) -> List.of(StoredChange.set(KEY, KvValue.of("value"), 0)));
    List<CommitRecord> published = STORE.publish();
    committed = published.get(0).version();
    hub.published(published);
  }

  @Actor
  public void request() {
    commits.request(Long.MAX_VALUE);
  }

  @Arbiter
  public void end(Z_Result result) {
    result.r1 = commits.last != null && commits.last.versionstamp().version() >= committed;
  }
}
