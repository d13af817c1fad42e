package io.kvreactive.examples;

import com.github.f4b6a3.ulid.Ulid;
import com.github.f4b6a3.ulid.UlidCreator;
import io.kvreactive.AtomicOperation;
import io.kvreactive.Kv;
import io.kvreactive.KvEntry;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.ListOptions;
import io.kvreactive.examples.run.Launcher;
import io.kvreactive.examples.run.Screen;
import java.time.Instant;
import java.util.function.Supplier;
import reactor.core.publisher.Mono;

/**
 * Shows keys that sort by time. A ULID has 26 characters: a time in milliseconds and random digits.
 * Monotonic ULIDs count up within a millisecond, so their order is the order of creation.
 */
public final class UlidExample {
  private static final KvKey ROOT = KvKey.of("ulid example");
  private static final int EVENTS = 1000;
  private static final int SHOWN = 3;

  private final Kv kv;
  private final Screen screen;

  private UlidExample(Kv kv, Screen screen) {
    this.kv = kv;
    this.screen = screen;
  }

  public static void main(String[] args) {
    Integer status = new Launcher("ulid", Screen.standard()).run(args, UlidExample::run).block();
    System.exit(status == null ? 1 : status);
  }

  /** Runs the example. First deletes the entries of an earlier run. */
  static Mono<Void> run(Kv kv, Screen screen) {
    UlidExample example = new UlidExample(kv, screen);
    KvKey monotonic = ROOT.append("monotonic");
    return kv.deleteRange(KvRange.prefix(ROOT))
        .then(example.events("ULID", ROOT.append("plain"), UlidCreator::getUlid))
        .then(example.events("monotonic ULID", monotonic, UlidCreator::getMonotonicUlid))
        .then(example.newest(monotonic))
        .then(example.since(monotonic, Instant.now().minusSeconds(60)));
  }

  private Mono<Void> events(String kind, KvKey log, Supplier<Ulid> ids) {
    return Mono.defer(() -> append(log, ids).commit())
        .thenMany(kv.list(KvRange.prefix(log), Integer.class))
        .map(KvEntry::required)
        .buffer(2, 1)
        .filter(pair -> pair.size() == 2 && pair.get(0) + 1 == pair.get(1))
        .count()
        .doOnNext(
            inOrder ->
                screen.line(
                    "%-14s: %,4d of %,d events directly follow the one before",
                    kind, inOrder, EVENTS - 1))
        .then();
  }

  private AtomicOperation append(KvKey log, Supplier<Ulid> ids) {
    AtomicOperation operation = kv.atomic();
    for (int i = 1; i <= EVENTS; i++) {
      operation.set(log.append(ids.get().toString()), i);
    }
    return operation;
  }

  /** Shows the newest events, reading only these from the end. */
  private Mono<Void> newest(KvKey log) {
    ListOptions newestFirst = ListOptions.DEFAULT.withReverse(true).withLimit(SHOWN);
    return kv.list(KvRange.prefix(log), newestFirst, Integer.class)
        .doOnNext(
            event ->
                screen.line(
                    "newest: %s of %s, event %d",
                    ulid(event.key()), ulid(event.key()).getInstant(), event.required()))
        .then();
  }

  /** Counts the events since a time. The smallest ULID of that time is the start of the range. */
  private Mono<Void> since(KvKey log, Instant time) {
    KvKey first = log.append(Ulid.min(time.toEpochMilli()).toString());
    return kv.count(KvRange.prefixFrom(log, first))
        .doOnNext(events -> screen.line("since %s: %,d events", time, events))
        .then();
  }

  private static Ulid ulid(KvKey event) {
    return Ulid.from(event.stringAt(event.size() - 1));
  }
}
