package io.kvreactive.internal.store.image.nodes;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.lang.reflect.Proxy;
import org.mapdb.Store;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.J_Result;

/** A {@link NodeCache} does not keep a node that was replaced while it was read. */
@JCStressTest
@Outcome(id = "0", expect = ACCEPTABLE, desc = "the node is not cached")
@Outcome(id = "2", expect = ACCEPTABLE, desc = "the new node is cached")
@Outcome(id = ".*", expect = FORBIDDEN, desc = "the old node is still cached")
@State
public class NodeCacheRace {

  private static final ImageNode.Form FORM = ImageNode.FORM;

  private volatile ImageNode stored = InnerNode.over(1);
  private final NodeCache cache =
      new NodeCache(
          (Store)
              Proxy.newProxyInstance(
                  Store.class.getClassLoader(),
                  new Class<?>[] {Store.class},
                  (proxy, method, arguments) -> {
                    if (method.getName().equals("update")) {
                      stored = (ImageNode) arguments[1];
                    }
                    return stored;
                  }),
          1);

  @Actor
  public void read() {
    cache.read(7, FORM);
  }

  @Actor
  public void replace() {
    cache.update(7, InnerNode.over(2), FORM);
  }

  @Arbiter
  public void end(J_Result result) {
    SearchNode cached = cache.cached(7);
    result.r1 = cached == null ? 0L : cached.next(new byte[0]);
  }
}
