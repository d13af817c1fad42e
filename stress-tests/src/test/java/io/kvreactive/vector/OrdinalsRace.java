package io.kvreactive.vector;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IJ_Result;

/** An ordinal below the limit of {@link Ordinals} has its id. */
@JCStressTest
@Outcome(
    id = {"0, 0", "0, 7", "1, 7"},
    expect = ACCEPTABLE,
    desc = "the id of the ordinal, or an ordinal that is not assigned yet")
@Outcome(id = ".*", expect = FORBIDDEN, desc = "an assigned ordinal without its id")
@State
public class OrdinalsRace {

  private final Ordinals ordinals = new Ordinals();

  @Actor
  public void give() {
    ordinals.give(7, 1);
  }

  @Actor
  public void read(IJ_Result result) {
    result.r1 = ordinals.limit();
    result.r2 = ordinals.id(0);
  }
}
