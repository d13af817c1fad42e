package io.kvreactive;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import reactor.core.publisher.Mono;

/**
 * History of the reads and writes of transactions, and a check that they are equivalent to a serial
 * execution in the order of their commits on a sorted map.
 */
final class SerialHistory {
  /** A step of a transaction. */
  sealed interface Step {}

  record Get(int key) implements Step {}

  record GetMany(List<Integer> keys) implements Step {}

  /**
   * @param take the number of entries to take from the list
   */
  record Range(int from, int to, boolean reverse, int limit, int take, int batch) implements Step {}

  record Set(int key, int value) implements Step {}

  record Delete(int key) implements Step {}

  record DeleteRange(int from, int to) implements Step {}

  record Add(int key, int value) implements Step {}

  /** Sets a key to the sum of all that was read so far. */
  record SetWhatWasRead(int key) implements Step {}

  /** A committed transaction, with the reads of each step. */
  private record Done(Versionstamp order, boolean wrote, List<Step> steps, List<Object> seen) {}

  private final ConcurrentLinkedQueue<Done> committed = new ConcurrentLinkedQueue<>();

  static KvKey key(int number) {
    return KvKey.of("k", number);
  }

  private static KvRange range(int from, int to) {
    return KvRange.between(key(Math.min(from, to)), key(Math.max(from, to)));
  }

  private static boolean writes(Step step) {
    return !(step instanceof Get || step instanceof GetMany || step instanceof Range);
  }

  // ---- in a transaction

  /** An attempt of a transaction, with its reads so far. */
  static final class Attempt {
    private final List<Step> steps;
    private final List<Object> seen = new ArrayList<>();
    private Versionstamp snapshot;

    Attempt(List<Step> steps) {
      this.steps = steps;
    }

    /** Executes all steps in sequence. */
    Mono<Attempt> run(KvTransaction tx) {
      snapshot = tx.snapshot();
      Mono<Object> all = Mono.empty();
      for (Step step : steps) {
        all = all.then(Mono.defer(() -> run(step, tx)).doOnNext(seen::add));
      }
      return all.thenReturn(this);
    }

    private Mono<Object> run(Step step, KvTransaction tx) {
      if (step instanceof Get get) {
        return tx.get(key(get.key)).map(SerialHistory::text);
      } else if (step instanceof GetMany many) {
        return tx.getMany(many.keys.stream().map(SerialHistory::key).toList())
            .map(SerialHistory::text)
            .collectList()
            .map(list -> list);
      } else if (step instanceof Range r) {
        ListOptions how =
            ListOptions.DEFAULT.withReverse(r.reverse).withLimit(r.limit).withBatchSize(r.batch);
        return tx.list(range(r.from, r.to), how)
            .map(SerialHistory::text)
            .take(r.take)
            .collectList()
            .map(list -> list);
      } else if (step instanceof Set set) {
        tx.set(key(set.key), KvU64.of(set.value));
      } else if (step instanceof Delete delete) {
        tx.delete(key(delete.key));
      } else if (step instanceof DeleteRange delete) {
        tx.deleteRange(range(delete.from, delete.to));
      } else if (step instanceof Add add) {
        tx.sum(key(add.key), add.value);
      } else if (step instanceof SetWhatWasRead set) {
        tx.set(key(set.key), KvU64.of(Integer.toUnsignedLong(seen.hashCode())));
      }
      return Mono.just("");
    }
  }

  private static String text(KvEntry<Object> entry) {
    return entry.key() + "=" + entry.value();
  }

  /**
   * Records a committed transaction.
   *
   * @param commit its versionstamp; null if it has written nothing
   */
  void committed(Attempt attempt, Versionstamp commit) {
    boolean wrote = commit != null;
    committed.add(new Done(wrote ? commit : attempt.snapshot, wrote, attempt.steps, attempt.seen));
  }

  int size() {
    return committed.size();
  }

  // ---- on the model

  /** Runs the transactions again in sequence. */
  NavigableMap<KvKey, KvU64> replay() {
    NavigableMap<KvKey, KvU64> state = new TreeMap<>();
    List<Done> inOrder = new ArrayList<>(committed);
    inOrder.sort(Comparator.comparing(Done::order).thenComparing(done -> !done.wrote));
    for (Done done : inOrder) {
      List<Object> seen = new ArrayList<>();
      for (Step step : done.steps) {
        seen.add(run(step, state, seen));
      }
      assertThat(done.seen).as("%s at %s", done.steps, done.order).isEqualTo(seen);
    }
    return state;
  }

  private static Object run(Step step, NavigableMap<KvKey, KvU64> state, List<Object> seen) {
    if (step instanceof Get get) {
      return text(key(get.key), state);
    } else if (step instanceof GetMany many) {
      return many.keys.stream().map(number -> text(key(number), state)).toList();
    } else if (step instanceof Range r) {
      return (r.reverse ? state.descendingMap() : state)
          .entrySet().stream()
              .filter(e -> range(r.from, r.to).contains(e.getKey()))
              .limit(Math.min(r.limit, r.take))
              .map(e -> e.getKey() + "=" + e.getValue())
              .toList();
    } else if (step instanceof Set set) {
      state.put(key(set.key), KvU64.of(set.value));
    } else if (step instanceof Delete delete) {
      state.remove(key(delete.key));
    } else if (step instanceof DeleteRange delete) {
      state.keySet().removeIf(range(delete.from, delete.to)::contains);
    } else if (step instanceof Add add) {
      state.merge(key(add.key), KvU64.of(add.value), (a, b) -> KvU64.wrapped(a.bits() + b.bits()));
    } else if (step instanceof SetWhatWasRead set) {
      state.put(key(set.key), KvU64.of(Integer.toUnsignedLong(seen.hashCode())));
    }
    return "";
  }

  private static String text(KvKey key, Map<KvKey, KvU64> state) {
    return key + "=" + state.get(key);
  }

  static boolean anyWrites(List<Step> steps) {
    return steps.stream().anyMatch(SerialHistory::writes);
  }
}
