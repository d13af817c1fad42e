package io.kvreactive.internal.store;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.kvreactive.internal.store.log.CommitRecord;
import java.util.List;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.Z_Result;

/** Commits that are read from {@link RecentCommits} have no gap if all are said to be present. */
@JCStressTest
@Outcome(
    id = "true",
    expect = ACCEPTABLE,
    desc = "the commits are complete, or known to be incomplete")
@Outcome(id = ".*", expect = FORBIDDEN, desc = "a commit is missing")
@State
public class RecentCommitsRace {

  private static final long BYTES_OF_TWO = 300;

  private final RecentCommits recent = new RecentCommits(0, BYTES_OF_TWO);

  public RecentCommitsRace() {
    add(1);
    add(2);
  }

  private void add(long version) {
    recent.add(List.of(new CommitRecord(version, 0, List.of())));
  }

  @Actor
  public void add() {
    add(3);
  }

  @Actor
  public void read(Z_Result result) {
    long last = 0;
    boolean hasGap = false;
    for (CommitRecord commit : recent.after(0)) {
      hasGap |= commit.version() != last + 1;
      last = commit.version();
    }
    result.r1 = recent.from() > 0 || !hasGap && last >= 2;
  }
}
