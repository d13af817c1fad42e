package io.kvreactive.internal.store;

import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.store.log.Effect;
import io.kvreactive.internal.store.memtable.VersionedValue;
import io.kvreactive.spi.Check;
import io.kvreactive.spi.Mutation;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Turns one commit's mutations into effects, against a state that it does not change: so a commit
 * that fails half-way has done nothing. Use once.
 */
final class CommitEvaluator {
  /** A deleted range of no more keys than this becomes a deletion per key. */
  private static final int EXPANDED_RANGE = 256;

  private final StoreView state;
  private final long version;
  private final List<Effect> ranges = new ArrayList<>();
  private final TreeMap<byte[], Effect> effects = new TreeMap<>(Arrays::compareUnsigned);

  private CommitEvaluator(StoreView state, long version) {
    this.state = state;
    this.version = version;
  }

  /** The indexes of the checks that do not hold. */
  static List<Integer> failedChecks(StoreView state, List<Check> checks) {
    List<Integer> failed = List.of();
    for (int i = 0; i < checks.size(); i++) {
      Check check = checks.get(i);
      long current = state.versionOf(check.key());
      Versionstamp expected = check.versionstamp();
      boolean holds =
          expected == null
              ? current == 0
              : current != 0 && expected.version() == current && expected.order() == 0;
      if (!holds) {
        failed = failed.isEmpty() ? new ArrayList<>() : failed;
        failed.add(i);
      }
    }
    return failed;
  }

  /**
   * What the mutations come to at {@code version}.
   *
   * @throws io.kvreactive.KvException TYPE_MISMATCH or OUT_OF_RANGE; nothing is changed
   */
  static List<Effect> effects(StoreView state, List<Mutation> mutations, long version) {
    if (mutations.size() == 1) { // the common case needs no lookup among earlier mutations
      Mutation only = mutations.get(0);
      if (only instanceof Mutation.Set set) {
        return List.of(Effect.set(set.key(), set.value()));
      }
      if (only instanceof Mutation.Delete delete) {
        return List.of(Effect.delete(delete.key()));
      }
    }
    CommitEvaluator evaluator = new CommitEvaluator(state, version);
    mutations.forEach(evaluator::apply);
    List<Effect> all = new ArrayList<>(evaluator.ranges.size() + evaluator.effects.size());
    all.addAll(evaluator.ranges);
    all.addAll(evaluator.effects.values());
    return all;
  }

  private void apply(Mutation mutation) {
    if (mutation instanceof Mutation.Set set) {
      set(set.key(), set.value());
    } else if (mutation instanceof Mutation.SetSuffixed set) {
      set(suffixed(set.key()), set.value());
    } else if (mutation instanceof Mutation.Delete delete) {
      effects.put(delete.key(), Effect.delete(delete.key()));
    } else if (mutation instanceof Mutation.DeleteRange range) {
      deleteRange(range.key(), range.end());
    } else if (mutation instanceof Mutation.Sum sum) {
      set(sum.key(), Arithmetic.sum(current(sum.key()), sum));
    } else if (mutation instanceof Mutation.Min min) {
      set(min.key(), Arithmetic.min(current(min.key()), min.operand()));
    } else if (mutation instanceof Mutation.Max max) {
      set(max.key(), Arithmetic.max(current(max.key()), max.operand()));
    }
  }

  private void set(byte[] key, KvValue value) {
    effects.put(key, Effect.set(key, value));
  }

  /** A string part of 20 hex digits behind the key; spec of Deno KV's commitVersionstamp. */
  private byte[] suffixed(byte[] key) {
    byte[] digits = Versionstamp.of(version).toString().getBytes(StandardCharsets.US_ASCII);
    byte[] suffixed = Arrays.copyOf(key, key.length + digits.length + 2);
    suffixed[key.length] = 0x02;
    System.arraycopy(digits, 0, suffixed, key.length + 1, digits.length);
    return suffixed;
  }

  private @Nullable KvValue current(byte[] key) {
    Effect earlier = effects.get(key);
    if (earlier != null) {
      return earlier.value();
    }
    for (Effect range : ranges) {
      if (within(key, range.key(), range.end())) {
        return null;
      }
    }
    VersionedValue stored = state.get(key);
    return stored == null ? null : stored.value();
  }

  private static boolean within(byte[] key, byte[] start, byte @Nullable [] end) {
    return Arrays.compareUnsigned(key, start) >= 0 && Arrays.compareUnsigned(key, end) < 0;
  }

  private void deleteRange(byte[] start, byte[] end) {
    if (Arrays.compareUnsigned(start, end) >= 0) {
      return;
    }
    Map<byte[], Effect> covered = effects.subMap(start, true, end, false);
    List<byte[]> keys = new ArrayList<>();
    ViewCursor cursor = state.range(start, end, false);
    while (keys.size() <= EXPANDED_RANGE && cursor.next()) {
      keys.add(cursor.key());
    }
    covered.clear();
    if (keys.size() > EXPANDED_RANGE) {
      ranges.add(Effect.deleteRange(start, end));
    } else {
      keys.forEach(key -> effects.put(key, Effect.delete(key)));
    }
  }
}
