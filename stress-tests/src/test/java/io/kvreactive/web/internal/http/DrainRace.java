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

/** A stream that is registered while the server stops is stopped. */
@JCStressTest
@Outcome(
    id = {"1", "2"},
    expect = ACCEPTABLE,
    desc = "the stream was stopped")
@Outcome(id = ".*", expect = FORBIDDEN, desc = "the stream goes on")
@State
public class DrainRace {

  private final Lifecycle lifecycle = new Lifecycle();
  private final AtomicInteger stops = new AtomicInteger();

  @Actor
  public void register() {
    lifecycle.register(stops::incrementAndGet);
  }

  @Actor
  public void drain() {
    lifecycle.drain();
  }

  @Arbiter
  public void end(I_Result result) {
    result.r1 = stops.get();
  }
}
