package io.kvreactive.internal.store;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.kvreactive.internal.store.image.SortedImage;
import io.kvreactive.internal.store.memtable.Memtable;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JII_Result;

/**
 * A frozen memtable of a {@link MemtableSet} is written once, when no snapshot before it is held.
 */
@JCStressTest
@Outcome(id = "1, 0, 1", expect = ACCEPTABLE, desc = "written after the snapshot, which is older")
@Outcome(
    id = "2, 1, 1",
    expect = ACCEPTABLE,
    desc = "written at once, because the snapshot is newer")
@Outcome(id = ".*", expect = FORBIDDEN, desc = "written too early, twice or not at all")
@State
public class RotationRace {

  private static final SortedImage IMAGE = SortedImage.inMemory();

  private final AtomicInteger writes = new AtomicInteger();
  private final MemtableSet memtables =
      new MemtableSet(IMAGE, new Memtable(), null, 0, 1, () -> 1_000, writes::incrementAndGet);
  private StoreSnapshot snapshot;

  @Actor
  public void take() {
    snapshot = memtables.snapshot();
  }

  @Actor
  public void rotate() {
    memtables.publish(2);
    memtables.rotate();
  }

  @Arbiter
  public void end(JII_Result result) {
    result.r1 = snapshot.version();
    result.r2 = writes.get();
    snapshot.close();
    result.r3 = writes.get();
  }
}
