package io.kvreactive.web.internal.http;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** A server that begins to wait for the end of the last request notices it. */
@JCStressTest
@Outcome(id = "1", expect = ACCEPTABLE, desc = "the wait has ended")
@Outcome(id = ".*", expect = FORBIDDEN, desc = "the wait never ends")
@State
public class IdleRace {

  private final Lifecycle lifecycle = new Lifecycle();
  private final AtomicInteger idle = new AtomicInteger();

  public IdleRace() {
    lifecycle.entered();
  }

  @Actor
  public void leave() {
    lifecycle.left();
  }

  @Actor
  public void await() {
    lifecycle.idle().subscribe(none -> {}, error -> {}, idle::incrementAndGet);
  }

  @Arbiter
  public void end(I_Result result) {
    result.r1 = idle.get();
  }
}
