package io.kvreactive.internal.engine;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.kvreactive.Versionstamp;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadResult;
import io.kvreactive.spi.StoredEntry;
import io.kvreactive.stress.Signals;
import java.util.List;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** The last state that a {@link Watch} emits is the newest. */
@JCStressTest
@Outcome(id = "1", expect = ACCEPTABLE, desc = "the newest state was emitted last")
@Outcome(id = ".*", expect = FORBIDDEN, desc = "the newest state was not emitted")
@State
public class WatchRace {

  private final Signals<ReadResult> signals = new Signals<>();
  private volatile int newest;
  private final Watch watch =
      new Watch(
          signals,
          new Watch.StepExecutor(Runnable::run, Runnable::run),
          this::read,
          this::readEverySecondTime,
          ended -> {},
          (at, task) -> null);
  private boolean declined; // in steps

  private ReadResult read() {
    Versionstamp version = Versionstamp.of(newest);
    StoredEntry entry = new StoredEntry(new byte[0], null, version, 0);
    return new ReadResult(version, List.of(new RangePage(List.of(entry), RangePage.End.RANGE)));
  }

  private ReadResult readEverySecondTime() {
    declined = !declined;
    return declined ? null : read();
  }

  public WatchRace() {
    watch.subscribe();
    signals.request(Long.MAX_VALUE);
  }

  @Actor
  public void commit() {
    newest = 1;
    watch.touched();
  }

  @Actor
  public void expire() {
    watch.touched();
  }

  @Arbiter
  public void end(I_Result result) {
    result.r1 = signals.last.snapshot().equals(Versionstamp.of(1)) ? 1 : 0;
  }
}
