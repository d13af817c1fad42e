package io.kvreactive.internal.store.memtable;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.Iterator;
import java.util.Map;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJI_Result;

/**
 * Readers of a {@link KeyTree} find all keys that were present when they began, each with a version
 * and its older ones, while leaves are split.
 */
@JCStressTest
@Outcome(
    id = {"1, 1, 32", "2, 1, 32"},
    expect = ACCEPTABLE,
    desc = "all keys were found, and the older version of the changed one")
@Outcome(id = ".*", expect = FORBIDDEN, desc = "a key or a version is missing")
@State
public class KeyTreeRace {

  private static final int KEYS = 32; // of a full leaf
  private static final int CHANGED = 7;
  private static final byte[][] KEY = new byte[KEYS + 1][];

  static {
    for (int i = 0; i <= KEYS; i++) {
      KEY[i] = new byte[] {(byte) (2 * i)};
    }
  }

  private final KeyTree tree = new KeyTree();

  public KeyTreeRace() {
    for (int i = 0; i < KEYS; i++) {
      tree.put(KEY[i], new VersionedValue(1, null, 0));
    }
  }

  @Actor
  public void write() {
    tree.put(KEY[CHANGED], new VersionedValue(2, null, 0));
    tree.put(new byte[] {KEYS + 1}, new VersionedValue(3, null, 0)); // in the middle
  }

  @Actor
  public void read(JJI_Result result) {
    int found = 0;
    Iterator<Map.Entry<byte[], VersionedValue>> all = tree.range(KEY[0], KEY[KEYS], false);
    while (all.hasNext()) {
      found += all.next().getValue().at(1) == null ? 0 : 1; // without the added one
    }
    VersionedValue newest = tree.get(KEY[CHANGED]);
    VersionedValue older = newest == null ? null : newest.at(1);
    result.r1 = newest == null ? 0L : newest.version();
    result.r2 = older == null ? 0L : older.version();
    result.r3 = found;
  }
}
