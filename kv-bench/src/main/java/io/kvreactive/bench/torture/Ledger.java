package io.kvreactive.bench.torture;

import io.kvreactive.Kv;
import io.kvreactive.KvChange;
import io.kvreactive.KvCommit;
import io.kvreactive.KvEntry;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.KvU64;
import io.kvreactive.Versionstamp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/**
 * Work on a shared store, and what must hold of it: money moves between accounts, writers append to
 * a journal with a message for each entry, and a feed follows the journal. Calls whose outcome is
 * unknown are repeated with their commit id.
 */
final class Ledger {
  private static final int ACCOUNTS = 10;
  private static final long BALANCE = 1000;
  private static final int WRITERS = 4;
  private static final KvKey COUNTER = KvKey.of("counter");
  private static final KvRange JOURNAL = KvRange.prefix("journal");
  private static final Duration TIMEOUT = Duration.ofMinutes(3);
  private static final Duration PAUSE = Duration.ofMillis(50);

  private final List<Kv> engines;
  private final Map<String, Versionstamp> answered = new ConcurrentHashMap<>();
  private final ConcurrentLinkedQueue<Versionstamp> followed = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<String> followedIds = new ConcurrentLinkedQueue<>();
  private final Map<String, AtomicInteger> delivered = new ConcurrentHashMap<>();
  private final AtomicReference<Versionstamp> position = new AtomicReference<>(Versionstamp.ZERO);
  private final AtomicLong watched = new AtomicLong();
  private final AtomicLong repeated = new AtomicLong();
  private final AtomicLong transfers = new AtomicLong();
  private final AtomicInteger entries = new AtomicInteger();
  private final List<Disposable> running = new ArrayList<>();
  private volatile boolean stopping;

  Ledger(List<Kv> engines) {
    this.engines = engines;
  }

  private Kv engine(int i) {
    return engines.get(i % engines.size());
  }

  /** Creates the accounts, and begins to follow and to consume. */
  void open() {
    for (int i = 0; i < ACCOUNTS; i++) {
      engine(i).set(KvKey.of("account", i), BALANCE).block(TIMEOUT);
    }
    running.add(
        Flux.defer(() -> engine(1).changes(JOURNAL, position.get()))
            .doOnNext(this::follow)
            .retryWhen(forAsLongAsItTakes())
            .subscribe());
    running.add(
        Flux.defer(() -> engine(0).watch(COUNTER, KvU64.class))
            .filter(KvEntry::exists)
            .doOnNext(entry -> watched.set(entry.required().value().longValue()))
            .retryWhen(forAsLongAsItTakes())
            .subscribe());
    for (Kv kv : engines) {
      running.add(
          Flux.defer(() -> kv.queues().listen(String.class))
              .concatMap(
                  message ->
                      message
                          .ack()
                          .doOnSubscribe(
                              begun ->
                                  delivered
                                      .computeIfAbsent(
                                          message.required(), each -> new AtomicInteger())
                                      .incrementAndGet())
                          .onErrorComplete())
              .retryWhen(forAsLongAsItTakes())
              .subscribe());
    }
  }

  /** Repeats what cannot be reached. Lost commits and all other errors are shown. */
  private Retry forAsLongAsItTakes() {
    return Retry.fixedDelay(Long.MAX_VALUE, PAUSE)
        .filter(
            failure -> {
              boolean repeats =
                  failure instanceof KvException e
                      && (e.code() == KvErrorCode.UNAVAILABLE
                          || e.code() == KvErrorCode.OVERLOADED
                          || e.code() == KvErrorCode.CONFLICT);
              if (repeats) {
                repeated.incrementAndGet();
              }
              return repeats;
            });
  }

  private void follow(KvCommit<Object> commit) {
    position.set(commit.versionstamp());
    if (!commit.isBookmark()) {
      followed.add(commit.versionstamp());
      commit
          .changes()
          .forEach(
              change -> followedIds.add(String.valueOf(((KvChange.Set<Object>) change).value())));
    }
  }

  /** Writes until {@link #stop}. Completes when all that was begun is answered. */
  Mono<Void> write(long seed) {
    stopping = false;
    List<Mono<Void>> all = new ArrayList<>();
    for (int writer = 0; writer < WRITERS; writer++) {
      int number = writer;
      Random random = new Random(seed + writer);
      all.add(Mono.defer(() -> append(number)).repeat(() -> !stopping).then());
      all.add(Mono.defer(() -> transfer(number, random)).repeat(() -> !stopping).then());
    }
    Mono<Void> writing = Mono.when(all).cache();
    running.add(writing.subscribe(done -> {}, failed -> {}));
    return writing;
  }

  void stop() {
    stopping = true;
  }

  private Mono<Versionstamp> append(int writer) {
    String id = "entry " + entries.incrementAndGet();
    return Mono.defer(
            () ->
                engine(writer)
                    .atomic()
                    .commitId(id)
                    .set(KvKey.of("journal", id), id)
                    .sum(COUNTER, 1)
                    .enqueue(id)
                    .commit())
        .map(result -> result.versionstamp())
        .retryWhen(forAsLongAsItTakes())
        .doOnNext(version -> answered.put(id, version));
  }

  private Mono<Boolean> transfer(int writer, Random random) {
    KvKey from = KvKey.of("account", random.nextInt(ACCOUNTS));
    KvKey to = KvKey.of("account", random.nextInt(ACCOUNTS));
    if (from.equals(to)) {
      return Mono.just(false);
    }
    return engine(writer)
        .transact(
            tx ->
                tx.get(from, Long.class)
                    .zipWith(tx.get(to, Long.class))
                    .doOnNext(
                        both ->
                            tx.set(from, both.getT1().required() - 1)
                                .set(to, both.getT2().required() + 1))
                    .thenReturn(true))
        .doOnNext(done -> transfers.incrementAndGet())
        .retryWhen(forAsLongAsItTakes());
  }

  int answered() {
    return answered.size();
  }

  /** Waits until the feed and the queues have caught up, and checks all that must hold. */
  List<String> check() {
    List<String> wrong = new ArrayList<>();
    Kv kv = engine(0);
    TreeMap<Versionstamp, String> journal = new TreeMap<>();
    Map<String, Versionstamp> present = new ConcurrentHashMap<>();
    for (KvEntry<String> entry :
        Objects.requireNonNull(kv.list(JOURNAL, String.class).collectList().block(TIMEOUT))) {
      journal.put(Objects.requireNonNull(entry.versionstamp()), entry.required());
      present.put(entry.required(), Objects.requireNonNull(entry.versionstamp()));
    }
    answered.forEach(
        (id, version) -> expect(wrong, "versionstamp of " + id, present.get(id), version));
    expect(wrong, "entries with a versionstamp of their own", journal.size(), present.size());
    expect(wrong, "entries of the journal", present.size(), answered.size());
    long counted =
        Objects.requireNonNull(kv.get(COUNTER, KvU64.class).block(TIMEOUT))
            .required()
            .value()
            .longValue();
    expect(wrong, "counter", counted, (long) answered.size());
    Long money =
        kv.list(KvRange.prefix("account"), Long.class)
            .map(KvEntry::required)
            .reduce(0L, Long::sum)
            .block(TIMEOUT);
    expect(wrong, "money", money, ACCOUNTS * BALANCE);
    await(() -> followed.size() >= journal.size());
    expect(wrong, "commits of the feed", List.copyOf(followed), List.copyOf(journal.keySet()));
    expect(wrong, "values of the feed", List.copyOf(followedIds), List.copyOf(journal.values()));
    await(() -> watched.get() >= counted);
    expect(wrong, "counter that was watched", watched.get(), counted);
    await(() -> delivered.size() >= answered.size());
    expect(wrong, "messages", delivered.keySet(), answered.keySet());
    return wrong;
  }

  private static void expect(
      List<String> wrong,
      String what,
      @org.jspecify.annotations.Nullable Object found,
      Object expected) {
    if (!expected.equals(found)) {
      String text = what + ": " + found + " (expected: " + expected + ")";
      wrong.add(text.length() > 500 ? text.substring(0, 500) + "…" : text);
    }
  }

  private static void await(java.util.function.BooleanSupplier condition) {
    Flux.interval(PAUSE)
        .filter(tick -> condition.getAsBoolean())
        .next()
        .timeout(TIMEOUT)
        .onErrorComplete()
        .block();
  }

  /** Returns the numbers of executed calls. */
  String summary() {
    long twice = delivered.values().stream().filter(times -> times.get() > 1).count();
    return "%d entries, %d transfers, %d calls repeated, %d messages delivered more than once"
        .formatted(answered.size(), transfers.get(), repeated.get(), twice);
  }

  void close() {
    running.forEach(Disposable::dispose);
  }
}
