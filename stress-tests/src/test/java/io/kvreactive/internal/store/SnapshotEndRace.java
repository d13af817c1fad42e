package io.kvreactive.internal.store;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.kvreactive.KvException;
import io.kvreactive.internal.store.image.SortedImage;
import io.kvreactive.internal.store.memtable.Memtable;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * A read of a {@link StoreSnapshot} that is closed meanwhile has its view until it leaves, and
 * nothing is written to the image before.
 */
@JCStressTest
@Outcome(id = "0, 1, 0", expect = ACCEPTABLE, desc = "the read was rejected")
@Outcome(id = "1, 1, 0", expect = ACCEPTABLE, desc = "the read had its view")
@Outcome(
    id = ".*",
    expect = FORBIDDEN,
    desc = "the view was missing, or the image was written during the read, twice or not at all")
@State
public class SnapshotEndRace {

  private static final SortedImage IMAGE = SortedImage.inMemory();

  private final AtomicInteger writes = new AtomicInteger();
  private final MemtableSet memtables =
      new MemtableSet(IMAGE, new Memtable(), null, 0, 1, () -> 1_000, writes::incrementAndGet);
  private final StoreSnapshot snapshot = memtables.snapshot();

  public SnapshotEndRace() {
    memtables.publish(2);
    memtables.rotate();
  }

  @Actor
  public void read(III_Result result) {
    try {
      StoreView view = snapshot.enter();
      for (int i = 0; i < 50 && writes.get() == 0; i++) {
        Thread.onSpinWait();
      }
      result.r1 = view != null && writes.get() == 0 ? 1 : 2;
      snapshot.leave();
    } catch (KvException tooOld) {
      result.r1 = 0;
    }
  }

  @Actor
  public void close() {
    snapshot.close();
  }

  @Arbiter
  public void end(III_Result result) {
    result.r2 = writes.get();
    result.r3 = memtables.held().count();
  }
}
