package io.kvreactive.vector;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.Z_Result;

/** A view of {@link BackEdges} has all edges that were added before it. */
@JCStressTest
@Outcome(id = "true", expect = ACCEPTABLE, desc = "all edges up to one of them")
@Outcome(id = ".*", expect = FORBIDDEN, desc = "an edge is missing that was added before the view")
@State
public class BackEdgesRace {

  private static final int FROM = 1;
  private static final int FIRST = 2;

  private final BackEdges edges = new BackEdges();

  public BackEdgesRace() {
    edges.put(FROM, FIRST, BackEdges.EXACT);
  }

  @Actor
  public void add() {
    for (int to = FIRST + 1; to < FIRST + 8; to++) {
      edges.put(FROM, to, BackEdges.EXACT);
    }
  }

  @Actor
  public void view(Z_Result result) {
    BackEdges.View view = edges.view();
    int target = 0;
    boolean hasGap = false;
    for (int edge = view.first(FROM); edge != BackEdges.NONE; edge = view.next(edge)) {
      hasGap |= target != 0 && target != view.target(edge) + 1;
      target = view.target(edge);
    }
    result.r1 = target == FIRST && !hasGap;
  }
}
