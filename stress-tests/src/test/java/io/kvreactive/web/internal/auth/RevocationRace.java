package io.kvreactive.web.internal.auth;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** A listener that is registered while the token is revoked is notified. */
@JCStressTest
@Outcome(
    id = {"1", "2"},
    expect = ACCEPTABLE,
    desc = "the listener was notified")
@Outcome(id = ".*", expect = FORBIDDEN, desc = "the listener was not notified")
@State
public class RevocationRace {

  private final Revocation revocation = new Revocation();
  private final AtomicInteger notified = new AtomicInteger();

  @Actor
  public void register() {
    revocation.onRevoked(notified::incrementAndGet);
  }

  @Actor
  public void revoke() {
    revocation.revoke();
  }

  @Arbiter
  public void end(I_Result result) {
    result.r1 = notified.get();
  }
}
