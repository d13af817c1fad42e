package io.kvreactive.internal.engine;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.store.log.CommitRecord;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadResult;
import io.kvreactive.spi.StoredChange;
import io.kvreactive.spi.StoredEntry;
import io.kvreactive.stress.Signals;
import java.util.List;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A {@link Watch} that is added while the last other watch of its key is removed is notified. */
@JCStressTest
@Outcome(id = "2, 1", expect = ACCEPTABLE, desc = "the watch was notified")
@Outcome(id = ".*", expect = FORBIDDEN, desc = "the watch was lost, or the removed one was kept")
@State
public class WatchedKeyRace {

  private static final List<byte[]> KEYS = List.of(new byte[] {1});
  private static final List<CommitRecord> COMMITS =
      List.of(
          new CommitRecord(1, 0, List.of(StoredChange.set(KEYS.get(0), KvValue.of("value"), 0))));

  private final WatchHub hub = new WatchHub(Runnable::run);
  private final Signals<ReadResult> signals = new Signals<>();
  private int newest;
  private final Watch first = watch(new Signals<>());
  private final Watch second = watch(signals);

  private Watch watch(Signals<ReadResult> to) {
    var executor = new Watch.StepExecutor(Runnable::run, null);
    return new Watch(to, executor, this::read, this::read, ended -> {}, (at, task) -> null);
  }

  private ReadResult read() {
    Versionstamp version = Versionstamp.of(newest);
    StoredEntry entry = new StoredEntry(KEYS.get(0), null, version, 0);
    return new ReadResult(version, List.of(new RangePage(List.of(entry), RangePage.End.RANGE)));
  }

  public WatchedKeyRace() {
    hub.add(first, KEYS);
    second.subscribe();
    signals.request(Long.MAX_VALUE);
  }

  @Actor
  public void add() {
    hub.add(second, KEYS);
  }

  @Actor
  public void remove() {
    hub.remove(first, KEYS);
  }

  @Arbiter
  public void end(II_Result result) {
    newest = 1;
    hub.published(COMMITS);
    result.r1 = signals.elements;
    result.r2 = hub.size();
  }
}
