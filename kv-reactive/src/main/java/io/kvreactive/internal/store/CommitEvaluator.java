package io.kvreactive.internal.store;

import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.mutation.Arithmetic;
import io.kvreactive.internal.store.log.Effect;
import io.kvreactive.internal.store.memtable.VersionedValue;
import io.kvreactive.spi.Check;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.Enqueue;
import io.kvreactive.spi.Mutation;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Turns one commit's mutations into effects, against a state that it does not change: so a commit
 * that fails half-way has done nothing. Use once.
 */
final class CommitEvaluator {
  private static final KvValue EMPTY = new KvValue(KvValue.Encoding.BYTES, new byte[0]);

  /** Of an effect whose version before nobody wants to know, until it is complete. */
  private static final long UNASKED = -1;

  /** A deleted range of no more keys than this becomes a deletion per key. */
  private static final int EXPANDED_RANGE = 256;

  private final StoreView state;
  private final long version;
  private final boolean oldValues;
  private final List<Effect> ranges = new ArrayList<>();
  private final TreeMap<byte[], Effect> effects = new TreeMap<>(Arrays::compareUnsigned);

  private CommitEvaluator(StoreView state, long version, boolean oldValues) {
    this.state = state;
    this.version = version;
    this.oldValues = oldValues;
  }

  /** The indexes of the checks that do not hold. */
  static List<Integer> failedChecks(StoreView state, CheckedVersions versions, List<Check> checks) {
    List<Integer> failed = List.of();
    for (int i = 0; i < checks.size(); i++) {
      Check check = checks.get(i);
      long current = versions.of(check.key(), state);
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
   * What the commit comes to at {@code version}.
   *
   * @param oldValues whether effects carry the values before
   * @param idExpireAt until when the commit's id is remembered
   * @throws io.kvreactive.KvException TYPE_MISMATCH or OUT_OF_RANGE; nothing is changed
   */
  static List<Effect> effects(
      StoreView state, Commit commit, long version, boolean oldValues, long idExpireAt) {
    CommitEvaluator evaluator = new CommitEvaluator(state, version, oldValues);
    List<Mutation> mutations = commit.mutations();
    String id = commit.id();
    if (commit.enqueues().isEmpty() && id == null && independent(mutations)) {
      return evaluator.each(mutations); // no lookup among earlier mutations
    }
    mutations.forEach(evaluator::apply);
    evaluator.enqueue(commit.enqueues());
    if (id != null) {
      evaluator.set(SystemKeys.commitId(id), EMPTY, idExpireAt);
    }
    return evaluator.all();
  }

  /** Whether all just set or delete a key, in ascending order: so none of them twice. */
  private static boolean independent(List<Mutation> mutations) {
    byte[] last = null;
    for (Mutation mutation : mutations) {
      boolean plain = mutation instanceof Mutation.Set || mutation instanceof Mutation.Delete;
      byte[] key = mutation.key();
      if (!plain || last != null && Arrays.compareUnsigned(last, key) >= 0) {
        return false;
      }
      last = key;
    }
    return true;
  }

  private List<Effect> each(List<Mutation> mutations) {
    List<Effect> all = new ArrayList<>(mutations.size());
    for (Mutation mutation : mutations) {
      if (mutation instanceof Mutation.Set set) {
        Effect effect = Effect.set(set.key(), set.value(), set.expireAt());
        all.add(set.blind() ? effect : after(effect));
      } else {
        all.add(after(Effect.delete(mutation.key())));
      }
    }
    return all;
  }

  private static Effect effect(Mutation.Set set) {
    Effect effect = Effect.set(set.key(), set.value(), set.expireAt());
    return set.blind() ? effect.after(UNASKED, null) : effect;
  }

  /** What changes of queues come to. */
  static List<Effect> queueEffects(
      StoreView state, long version, boolean oldValues, Consumer<QueueEffects> change) {
    CommitEvaluator evaluator = new CommitEvaluator(state, version, oldValues);
    change.accept(new QueueEffects(state, evaluator.effects));
    return evaluator.all();
  }

  private void enqueue(List<Enqueue> enqueues) {
    QueueEffects queues = new QueueEffects(state, effects);
    for (int i = 0; i < enqueues.size(); i++) {
      queues.enqueue(enqueues.get(i), new MessageId(version, i));
    }
  }

  private List<Effect> all() {
    List<Effect> all = new ArrayList<>(ranges.size() + effects.size());
    all.addAll(ranges);
    for (Effect effect : effects.values()) {
      all.add(after(effect));
    }
    return all;
  }

  /** The effect, knowing what was before; nobody asks that of the store's own records. */
  private Effect after(Effect effect) {
    if (effect.oldVersion() == UNASKED) {
      return effect.after(0, null);
    }
    if (SystemKeys.isSystem(effect.key())) {
      return effect;
    }
    Effect known = after(effect, state);
    if (known.oldVersion() == 0 && effect.kind() == Effect.Kind.DELETE) {
      // whoever follows the changes still has what has expired and not been swept
      Effect expired = after(Effect.expire(effect.key()), state.at(0));
      return expired.oldVersion() == 0 ? known : expired;
    }
    return known;
  }

  private Effect after(Effect effect, StoreView state) {
    if (oldValues) {
      VersionedValue old = state.get(effect.key());
      return old == null ? effect : effect.after(old.version(), old.value());
    }
    long old = state.versionOf(effect.key());
    return old == 0 ? effect : effect.after(old, null);
  }

  private void apply(Mutation mutation) {
    if (mutation instanceof Mutation.Set set) {
      effects.put(set.key(), effect(set));
    } else if (mutation instanceof Mutation.SetSuffixed set) {
      set(suffixed(set.key()), set.value(), set.expireAt());
    } else if (mutation instanceof Mutation.Touch touch) {
      touch(touch.key(), touch.expireAt());
    } else if (mutation instanceof Mutation.Delete delete) {
      effects.put(delete.key(), Effect.delete(delete.key()));
    } else if (mutation instanceof Mutation.DeleteRange range) {
      deleteRange(range.key(), range.end());
    } else if (mutation instanceof Mutation.Sum sum) {
      set(sum.key(), Arithmetic.sum(current(sum.key()), sum), 0);
    } else if (mutation instanceof Mutation.Min min) {
      set(min.key(), Arithmetic.min(current(min.key()), min.operand()), 0);
    } else if (mutation instanceof Mutation.Max max) {
      set(max.key(), Arithmetic.max(current(max.key()), max.operand()), 0);
    }
  }

  private void set(byte[] key, KvValue value, long expireAt) {
    effects.put(key, Effect.set(key, value, expireAt));
  }

  private void touch(byte[] key, long expireAt) {
    Effect earlier = effects.get(key);
    KvValue value = current(key);
    if (value == null) {
      return;
    }
    boolean written = earlier != null && earlier.kind() == Effect.Kind.SET;
    effects.put(
        key, written ? Effect.set(key, value, expireAt) : Effect.touch(key, value, expireAt));
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
      return VersionedValue.isExpired(earlier.expireAt(), state.now()) ? null : earlier.value();
    }
    for (Effect range : ranges) {
      byte[] end = range.end();
      if (end != null && SystemKeys.within(key, range.key(), end)) {
        return null;
      }
    }
    VersionedValue stored = state.get(key);
    return stored == null ? null : stored.value();
  }

  private void deleteRange(byte[] start, byte[] to) {
    byte[] end = SystemKeys.clamp(to);
    if (Arrays.compareUnsigned(start, end) >= 0) {
      return;
    }
    Map<byte[], Effect> covered = effects.subMap(start, true, end, false);
    List<byte[]> keys = new ArrayList<>();
    ViewCursor cursor = state.at(0).range(start, end, false); // what has expired counts too
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
