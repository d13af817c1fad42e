package io.kvreactive.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvreactive.AtomicOperation;
import io.kvreactive.CommitResult;
import io.kvreactive.Kv;
import io.kvreactive.KvChange;
import io.kvreactive.KvCommit;
import io.kvreactive.KvEntry;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.KvStats;
import io.kvreactive.KvU64;
import io.kvreactive.ListOptions;
import io.kvreactive.ListOptions.Consistency;
import io.kvreactive.TransactionOptions;
import io.kvreactive.Versionstamp;
import io.kvreactive.testing.Tries;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

/** Several engines on one store, and the loss of their connections. */
@ExtendWith(VertxExtension.class)
class SharedStoreTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final int ACCOUNTS = 8;
  private static final long BALANCE = 1000;
  private static final int ROUNDS = Tries.of(3, 10);
  private static final Duration POLL = Duration.ofMillis(10);
  private static final KvRange EVENTS = KvRange.prefix("event");

  private Vertx vertx;
  private final String schema = "s" + UUID.randomUUID();
  private final List<Kv> open = new ArrayList<>();

  @BeforeEach
  void use(Vertx vertx) {
    this.vertx = vertx;
  }

  private PostgresOptions options() {
    return TestServer.options(schema).withReadConnections(4);
  }

  private Kv open(PostgresOptions options) {
    Kv kv = get(Kv.open(vertx, options));
    open.add(kv);
    return kv;
  }

  private Kv open() {
    return open(options());
  }

  private static <T> T get(Mono<T> mono) {
    T value = mono.block(TIMEOUT);
    if (value == null) {
      throw new AssertionError("empty");
    }
    return value;
  }

  @AfterEach
  void close() {
    open.forEach(kv -> kv.close().block(TIMEOUT));
  }

  /** Runs a statement as an administrator. */
  private static void administer(String sql) {
    String url = TestServer.url().replace("postgresql://postgres@", "");
    try (Connection connection =
            DriverManager.getConnection("jdbc:postgresql://" + url + "?user=postgres");
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new AssertionError(sql, e);
    }
  }

  @Test
  void tellsWhetherAStoreExists() {
    assertThat(get(options().exists(vertx))).isFalse();
    open();
    assertThat(get(options().exists(vertx))).isTrue();
  }

  /** A poll between a first read and the registration would hide the commits that it finds. */
  @Test
  void registersFeedsAndWatchesBeforeTheirFirstRead() {
    Kv kv = open();
    List<KvStats.Readers> readers = new ArrayList<>();
    Disposable feed =
        kv.changes(EVENTS)
            .doOnSubscribe(begins -> readers.add(get(kv.admin().stats()).readers()))
            .subscribe();
    Disposable watch =
        kv.watch(account(0))
            .doOnSubscribe(begins -> readers.add(get(kv.admin().stats()).readers()))
            .subscribe();
    assertThat(readers).extracting(KvStats.Readers::feeds).containsExactly(1, 1);
    assertThat(readers).extracting(KvStats.Readers::watches).containsExactly(0, 1);
    feed.dispose();
    watch.dispose();
  }

  private static KvKey account(int i) {
    return KvKey.of("account", i);
  }

  private static Mono<?> transfer(Kv kv) {
    int from = ThreadLocalRandom.current().nextInt(ACCOUNTS);
    int to = (from + 1 + ThreadLocalRandom.current().nextInt(ACCOUNTS - 1)) % ACCOUNTS;
    return kv.transact(
        tx ->
            tx.get(account(from), Long.class)
                .zipWith(tx.get(account(to), Long.class))
                .doOnNext(
                    both ->
                        tx.set(account(from), both.getT1().required() - 1)
                            .set(account(to), both.getT2().required() + 1))
                .thenReturn(true),
        TransactionOptions.DEFAULT.withMaxAttempts(1000));
  }

  private static long total(Kv kv) {
    ListOptions snapshot =
        ListOptions.DEFAULT.withConsistency(Consistency.SNAPSHOT).withBatchSize(3);
    return get(
        kv.list(KvRange.prefix("account"), snapshot, Long.class)
            .map(KvEntry::required)
            .reduce(0L, Long::sum));
  }

  @Test
  void serializesTransfersOfTwoEngines() {
    Kv one = open();
    Kv two = open();
    for (int i = 0; i < ACCOUNTS; i++) {
      get(one.set(account(i), BALANCE));
    }
    Mono<Void> transfers =
        Flux.range(0, Tries.of(100, 300)).flatMap(i -> transfer(i % 2 == 0 ? one : two), 16).then();
    Disposable running = transfers.subscribe();
    while (!running.isDisposed()) {
      assertThat(total(two)).isEqualTo(ACCOUNTS * BALANCE);
    }
    assertThat(total(one)).isEqualTo(ACCOUNTS * BALANCE);
  }

  @Test
  void assignsEveryVersionOnce() {
    Kv one = open();
    Kv two = open();
    List<Versionstamp> stamps =
        get(
            Flux.range(0, 1000)
                .flatMap(i -> (i % 2 == 0 ? one : two).set(KvKey.of("k", i % 10), i), 64)
                .collectList());
    assertThat(stamps).hasSize(1000).doesNotHaveDuplicates();
    assertThat(get(two.set(KvKey.of("last"), 1)).version()).isEqualTo(1001);
  }

  @Test
  void showsCommitsOfOneEngineToReadersWatchesAndFeedsOfTheOther() {
    Kv one = open();
    Kv two = open();
    KvKey key = KvKey.of("event", 0);
    Mono<KvEntry<Object>> watched = two.watch(key).filter(KvEntry::exists).next().cache();
    watched.subscribe();
    Mono<List<Versionstamp>> followed =
        two.changes(EVENTS, Versionstamp.ZERO)
            .filter(commit -> !commit.isBookmark())
            .map(KvCommit::versionstamp)
            .take(200)
            .collectList()
            .cache();
    followed.subscribe();
    Versionstamp first = get(one.set(key, "first"));
    assertThat(get(two.get(key)).versionstamp()).isEqualTo(first);
    assertThat(get(watched).versionstamp()).isEqualTo(first);
    List<Versionstamp> made =
        new ArrayList<>(
            get(
                Flux.range(1, 199)
                    .flatMap(i -> (i % 2 == 0 ? one : two).set(KvKey.of("event", i), i), 16)
                    .collectList()));
    made.add(first);
    made.sort(null);
    assertThat(get(followed)).isEqualTo(made);
  }

  @Test
  void deliversMessagesOfOneEngineToConsumersOfAllOnce() {
    Kv one = open();
    Kv two = open();
    ConcurrentLinkedQueue<Object> seen = new ConcurrentLinkedQueue<>();
    Disposable consumers =
        Flux.just(one, two)
            .flatMap(kv -> kv.queues().listen(Object.class))
            .concatMap(m -> m.ack().then(Mono.fromRunnable(() -> seen.add(m.required()))))
            .subscribe();
    Flux.range(0, 200).flatMap(one.queues()::enqueue, 16).blockLast(TIMEOUT);
    Flux.interval(POLL).filter(i -> seen.size() >= 200).blockFirst(TIMEOUT);
    consumers.dispose();
    assertThat(seen).hasSize(200).doesNotHaveDuplicates();
  }

  /**
   * Repeatedly ends the connections of the engines, also between COMMIT and its answer. A commit
   * without an id would be applied twice if its outcome were guessed.
   */
  @Test
  void appliesAnsweredCommitsOnceThoughConnectionsAreTerminated() {
    Kv one = open();
    Kv two = open();
    KvKey counter = KvKey.of("counter");
    KvKey last = KvKey.of("event", "last");
    AtomicInteger answered = new AtomicInteger();
    AtomicInteger rounds = new AtomicInteger();
    Mono<List<Versionstamp>> followed =
        two.changes(EVENTS, Versionstamp.ZERO)
            .filter(commit -> !commit.isBookmark())
            .takeUntil(
                commit ->
                    commit.changes().get(0) instanceof KvChange.Set<Object> set
                        && set.key().equals(last))
            .map(KvCommit::versionstamp)
            .collectList()
            .cache();
    followed.subscribe();
    Mono<Long> counted =
        untilTerminated(rounds)
            .flatMap(
                i ->
                    (i % 2 == 0 ? one : two)
                        .atomic()
                        .sum(counter, 1)
                        .set(KvKey.of("event", i), i)
                        .commit()
                        .doOnNext(done -> answered.incrementAndGet()),
                4)
            .count()
            .subscribeOn(Schedulers.parallel())
            .cache();
    terminateWhile(counted.subscribe(), answered, rounds);
    long commits = get(counted);
    get(one.set(last, 0));
    assertThat(get(one.get(counter, KvU64.class)).required().value()).isEqualTo(commits);
    assertThat(get(followed)).hasSize((int) commits + 1).doesNotHaveDuplicates().isSorted();
  }

  /** Emits numbers until connections have been terminated a number of times. */
  private static Flux<Integer> untilTerminated(AtomicInteger rounds) {
    return Flux.range(0, Integer.MAX_VALUE).takeWhile(i -> rounds.get() < ROUNDS);
  }

  /** Repeatedly ends the connections after some answers. */
  private static void terminateWhile(
      Disposable running, AtomicInteger answered, AtomicInteger rounds) {
    while (!running.isDisposed()) {
      administer(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
              + " WHERE application_name = 'kv-reactive'");
      int before = answered.get();
      Flux.interval(POLL)
          .filter(i -> running.isDisposed() || answered.get() >= before + 20)
          .blockFirst(TIMEOUT);
      rounds.incrementAndGet();
    }
  }

  /**
   * The only writer commits sets with checks, which take one round trip. A commit that was applied
   * twice would fail its check.
   */
  @Test
  void appliesGroupsOfOneRoundTripOnceThoughConnectionsAreTerminated() {
    Kv one = open();
    AtomicInteger answered = new AtomicInteger();
    AtomicInteger rounds = new AtomicInteger();
    Mono<List<Versionstamp>> made =
        untilTerminated(rounds)
            .flatMap(
                i ->
                    one.atomic()
                        .checkAbsent(KvKey.of("event", i))
                        .set(KvKey.of("event", i), i)
                        .commit()
                        .map(done -> Objects.requireNonNull(done.versionstamp(), "committed"))
                        .doOnNext(done -> answered.incrementAndGet()),
                4)
            .collectList()
            .subscribeOn(Schedulers.parallel())
            .cache();
    terminateWhile(made.subscribe(), answered, rounds);
    assertThat(get(made)).doesNotHaveDuplicates();
    assertThat(get(one.list(EVENTS).map(KvEntry::versionstamp).collectList()))
        .containsExactlyInAnyOrderElementsOf(get(made));
  }

  @Test
  void evaluatesSetsWithChecksOfTwoEnginesInTheOrderOfVersions() {
    Kv one = open();
    Kv two = open();
    KvKey key = KvKey.of("event", 0);
    long committed =
        get(
            Flux.range(0, 400)
                .flatMap(
                    i ->
                        Mono.defer(() -> (i % 2 == 0 ? one : two).get(key, Integer.class))
                            .flatMap(
                                entry ->
                                    (i % 2 == 0 ? one : two)
                                        .atomic()
                                        .check(entry)
                                        .set(key, entry.exists() ? entry.required() + 1 : 1)
                                        .set(KvKey.of("by", i), i)
                                        .commit()),
                    8)
                .filter(CommitResult::committed)
                .count());
    assertThat(committed).isBetween(1L, 400L);
    assertThat(get(two.get(key, Integer.class)).required()).isEqualTo((int) committed);
    assertThat(get(one.count(KvRange.prefix("by")))).isEqualTo(committed);
    assertThat(get(two.admin().stats()).storage().keys()).isEqualTo(committed + 1);
  }

  @Test
  void createsTheSchemaOnceForEnginesThatOpenTogether() {
    List<Kv> together = get(Flux.range(0, 4).flatMap(i -> Kv.open(vertx, options())).collectList());
    open.addAll(together);
    together.forEach(kv -> get(kv.set(KvKey.of("a"), 1)));
    assertThat(get(together.get(0).get(KvKey.of("a"))).versionstamp())
        .isEqualTo(Versionstamp.of(4));
  }

  @Test
  void boundsTheStoredValuesOfSums() {
    Kv kv = open();
    String large = "x".repeat(60_000);
    int keys = 300; // of 18 MB together
    Flux.range(0, keys).flatMap(i -> kv.set(KvKey.of("large", i), large), 32).blockLast(TIMEOUT);
    AtomicOperation all = kv.atomic();
    for (int i = keys - 1; i >= 0; i--) { // the values of the first keys are read
      all = all.sum(KvKey.of("large", i), 1);
    }
    AtomicOperation sums = all;
    assertThatThrownBy(() -> get(sums.commit()))
        .hasMessageStartingWith("LIMIT_EXCEEDED: values to merge in one commit");
    List<KvErrorCode> each =
        get(
            Flux.range(0, keys)
                .flatMap(
                    i ->
                        kv.atomic()
                            .sum(KvKey.of("large", i), 1)
                            .commit()
                            .<KvErrorCode>map(done -> KvErrorCode.INTERNAL)
                            .onErrorResume(KvException.class, e -> Mono.just(e.code())),
                    keys)
                .collectList());
    assertThat(each).hasSize(keys).containsOnly(KvErrorCode.TYPE_MISMATCH);
    get(kv.atomic().sum(KvKey.of("small"), 1).commit());
  }

  @Test
  void dropsOldChangesAndTheirSnapshots() {
    Kv kv = open(options().withRequestTimeout(TIMEOUT).withRetention(TIMEOUT, 0, TIMEOUT));
    for (int i = 0; i < 10; i++) {
      get(kv.set(KvKey.of("event", i), i));
    }
    Mono<KvException> compacted =
        Mono.defer(() -> kv.changes(EVENTS, Versionstamp.ZERO).next())
            .then(Mono.<KvException>empty())
            .onErrorResume(KvException.class, Mono::just)
            .repeatWhenEmpty(tries -> tries.delayElements(POLL));
    ListOptions paged = ListOptions.DEFAULT.withConsistency(Consistency.SNAPSHOT).withBatchSize(1);
    StepVerifier.create(kv.list(EVENTS, paged), 0)
        .thenRequest(1)
        .expectNextCount(1)
        .then(
            () -> {
              Versionstamp all = get(kv.set(KvKey.of("event", 0), "again"));
              administer("UPDATE \"%s\".batch SET millis = 0".formatted(schema)); // all are old
              KvException failure = get(compacted);
              assertThat(failure.code()).isEqualTo(KvErrorCode.COMPACTED);
              assertThat(failure.oldest()).isEqualTo(all);
            })
        .thenRequest(Long.MAX_VALUE)
        .thenConsumeWhile(entry -> true)
        .expectErrorSatisfies(e -> assertThat(e).hasMessageStartingWith("SNAPSHOT_TOO_OLD"))
        .verify(TIMEOUT);
    KvChange<Object> last =
        get(kv.changes(EVENTS)
                .doOnSubscribe(s -> kv.set(KvKey.of("event", 1), "new").subscribe())
                .filter(commit -> !commit.isBookmark())
                .next())
            .changes()
            .get(0);
    assertThat(((KvChange.Set<Object>) last).value()).isEqualTo("new");
  }

  /** Each accepted loss skips versions. Feeds pass them in one step. */
  @Test
  void followsChangesAcrossSkippedVersions() {
    List<Versionstamp> made = new ArrayList<>();
    for (int n = 0; n < 3; n++) {
      int i = n;
      Kv kv = open();
      made.add(get(kv.set(KvKey.of("event", i), i)));
      assertThat(get(options().acceptLostCommits(vertx))).isEqualTo(made.get(i));
      assertThatThrownBy(() -> get(kv.set(KvKey.of("event", i), "after")))
          .hasMessageStartingWith("IO_FAILED: the store has another history");
    }
    assertThat(made).isSorted();
    Kv kv = open();
    for (int i = 0; i < 3; i++) {
      Versionstamp since = i == 0 ? Versionstamp.ZERO : made.get(i - 1);
      assertThat(get(kv.changes(EVENTS, since).take(3L - i).collectList()))
          .extracting(KvCommit::versionstamp)
          .isEqualTo(made.subList(i, 3));
      Versionstamp lost = Versionstamp.of(made.get(i).version() + 2);
      assertThatThrownBy(() -> kv.changes(EVENTS, lost).blockFirst(TIMEOUT))
          .hasMessageStartingWith("COMPACTED");
    }
  }
}
