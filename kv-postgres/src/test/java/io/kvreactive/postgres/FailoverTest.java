package io.kvreactive.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A primary with a streaming standby, both with fsync, and the behaviour of engines when the
 * standby is promoted.
 */
@ExtendWith(VertxExtension.class)
class FailoverTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(120);
  private static final KvRange EVENTS = KvRange.prefix("event");
  private static final KvKey KEY = KvKey.of("key");
  private static final String HEAD = "SELECT version FROM kv.head";

  @TempDir Path directory;
  private Vertx vertx;
  private final List<Kv> open = new ArrayList<>();
  private PostgresServer primary;
  private PostgresServer standby;

  @BeforeEach
  void startCluster(Vertx vertx) throws Exception {
    this.vertx = vertx;
    primary = PostgresServer.create(PostgresServer.DEFAULT, directory.resolve("one"));
    standby = primary.standby(Files.createDirectory(directory.resolve("two")).resolve("data"));
    primary.start();
    standby.start();
    primary.await("SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'", "1");
  }

  @AfterEach
  void close() throws Exception {
    open.forEach(kv -> kv.close().block(TIMEOUT));
    primary.close();
    standby.close();
  }

  private PostgresOptions options() {
    return PostgresOptions.at(
            "postgresql://postgres@%s,%s/postgres".formatted(primary.address(), standby.address()))
        .withTimeouts(Duration.ofSeconds(20), Duration.ofSeconds(20));
  }

  private Kv open() {
    Kv kv = get(Kv.open(vertx, options()));
    open.add(kv);
    return kv;
  }

  private static <T> T get(Mono<T> mono) {
    T value = mono.block(TIMEOUT);
    assertThat(value).isNotNull();
    return value;
  }

  private static KvErrorCode failure(Mono<?> call) {
    KvErrorCode[] code = new KvErrorCode[1];
    assertThatThrownBy(() -> call.block(TIMEOUT))
        .isInstanceOfSatisfying(KvException.class, e -> code[0] = e.code());
    return code[0];
  }

  /**
   * Makes commits that the standby does not receive, and promotes the standby. Returns their
   * versionstamps.
   */
  private List<Versionstamp> loseCommits(Kv kv) throws Exception {
    standby.await(HEAD, primary.query(HEAD));
    standby.kill();
    List<Versionstamp> lost =
        get(Flux.range(0, 5).concatMap(i -> kv.set(KvKey.of("event", i), "lost")).collectList());
    primary.kill();
    standby.start();
    standby.promote();
    return lost;
  }

  private Versionstamp acceptAndContinue(List<Versionstamp> lost, Versionstamp kept) {
    assertThat(failure(Kv.open(vertx, options()))).isEqualTo(KvErrorCode.IO_FAILED);
    assertThat(get(options().acceptLostCommits(vertx))).isEqualTo(kept);
    Kv again = open();
    assertThat(get(again.get(KEY, String.class)).required()).isEqualTo("kept");
    assertThat(get(again.count(EVENTS))).isZero();
    Versionstamp next = get(again.set(KvKey.of("event", 0), "new"));
    assertThat(next).isGreaterThan(lost.get(4));
    assertThat(failure(again.changes(EVENTS, lost.get(2)).next())).isEqualTo(KvErrorCode.COMPACTED);
    KvCommit<Object> followed =
        get(again.changes(EVENTS, kept).filter(commit -> !commit.isBookmark()).next());
    assertThat(followed.versionstamp()).isEqualTo(next);
    assertThat(((KvChange.Set<Object>) followed.changes().get(0)).value()).isEqualTo("new");
    return next;
  }

  @Test
  void refusesAStandbyThatLostCommitsUntilThatIsAccepted() throws Exception {
    Kv kv = open();
    Versionstamp kept = get(kv.set(KEY, "kept"));
    Mono<Void> watch = kv.watch(KEY).then().cache();
    watch.subscribe(done -> {}, failed -> {});
    Mono<Void> feed = kv.changes(EVENTS).then().cache();
    feed.subscribe(done -> {}, failed -> {});
    List<Versionstamp> lost = loseCommits(kv);
    assertThat(failure(kv.set(KEY, "refused"))).isEqualTo(KvErrorCode.IO_FAILED);
    assertThat(failure(kv.get(KEY))).isEqualTo(KvErrorCode.IO_FAILED);
    assertThat(failure(kv.count(EVENTS))).isEqualTo(KvErrorCode.IO_FAILED);
    assertThat(failure(watch)).isEqualTo(KvErrorCode.IO_FAILED);
    assertThat(failure(feed)).isEqualTo(KvErrorCode.IO_FAILED);
    acceptAndContinue(lost, kept);
    assertThat(failure(kv.get(KEY))).isEqualTo(KvErrorCode.IO_FAILED); // until it is opened again
  }

  /** An engine that has not seen the lost commits is the first on the promoted standby. */
  @Test
  void neverReassignsVersionstampsOfUnseenLostCommits() throws Exception {
    PostgresOptions other = options();
    Kv late = get(Kv.open(vertx, other.withHosts(other.hosts().subList(0, 1))));
    open.add(late);
    Versionstamp kept = get(late.set(KEY, "kept"));
    List<Versionstamp> lost = loseCommits(late);
    Kv fresh = get(Kv.open(vertx, other));
    open.add(fresh);
    Versionstamp version = get(fresh.set(KvKey.of("another", 0), 1));
    assertThat(version).isGreaterThan(lost.get(4));
    standby.kill();
    standby.takePort(primary);
    standby.start();
    assertThat(failure(late.get(KEY))).isEqualTo(KvErrorCode.IO_FAILED);
    // the engine that misses commits has marked the store, so the other engine stops too
    assertThat(failure(fresh.set(KvKey.of("another", 0), 2))).isEqualTo(KvErrorCode.IO_FAILED);
    assertThat(failure(fresh.watch(KEY).then())).isEqualTo(KvErrorCode.IO_FAILED);
    assertThat(failure(Kv.open(vertx, other))).isEqualTo(KvErrorCode.IO_FAILED);
    Versionstamp left = get(other.acceptLostCommits(vertx));
    assertThat(left).isEqualTo(version);
    Kv again = open();
    assertThat(get(again.get(KvKey.of("another", 0))).versionstamp()).isEqualTo(version);
    assertThat(get(again.changes(KvRange.prefix("another"), kept).take(1).single()).versionstamp())
        .isEqualTo(version);
  }

  @Test
  void findsThePrimaryAfterAFailoverAndHasEveryAnsweredCommitOnce() throws Exception {
    primary.query("ALTER SYSTEM SET synchronous_standby_names = '*'");
    primary.query("SELECT pg_reload_conf()");
    primary.await("SELECT sync_state FROM pg_stat_replication", "sync");
    Kv one = open();
    Kv two = open();
    KvKey counter = KvKey.of("counter");
    int commits = 600;
    CountDownLatch third = new CountDownLatch(commits / 3);
    ConcurrentHashMap<Integer, Versionstamp> stamps = new ConcurrentHashMap<>();
    Mono<List<KvCommit<Object>>> followed =
        two.changes(EVENTS, Versionstamp.ZERO)
            .filter(commit -> !commit.isBookmark())
            .take(commits)
            .collectList()
            .cache();
    followed.subscribe(done -> {}, failed -> {});
    AtomicInteger watched = new AtomicInteger();
    Disposable watch =
        two.watch(counter, KvU64.class)
            .filter(KvEntry::exists)
            .subscribe(entry -> watched.set(entry.required().value().intValue()), failed -> {});
    Mono<Long> counted =
        Flux.range(0, commits)
            .flatMap(
                i ->
                    (i % 2 == 0 ? one : two)
                        .atomic()
                        .sum(counter, 1)
                        .set(KvKey.of("event", i), i)
                        .commit()
                        .doOnNext(
                            done -> {
                              stamps.put(i, done.versionstamp());
                              third.countDown();
                            }),
                8)
            .count()
            .cache();
    Disposable running = counted.subscribe(done -> {}, failed -> {});
    assertThat(third.await(TIMEOUT.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(running.isDisposed()).isFalse();
    primary.kill();
    standby.query("ALTER SYSTEM SET synchronous_standby_names = ''");
    standby.query("SELECT pg_reload_conf()");
    standby.promote();
    assertThat(get(counted)).isEqualTo(commits);
    standby.awaitConnections(options().readConnections() + 2 * 2);
    assertThat(get(one.get(counter, KvU64.class)).required()).isEqualTo(KvU64.of(commits));
    List<KvCommit<Object>> seen = get(followed);
    assertThat(seen).extracting(KvCommit::versionstamp).isSorted().doesNotHaveDuplicates();
    assertThat(seen)
        .extracting(commit -> ((KvChange.Set<Object>) commit.changes().get(0)).value())
        .containsExactlyInAnyOrderElementsOf(
            IntStream.range(0, commits).mapToObj(i -> (Object) i).toList());
    for (KvCommit<Object> commit : seen) {
      int event = (Integer) ((KvChange.Set<Object>) commit.changes().get(0)).value();
      assertThat(commit.versionstamp()).isEqualTo(stamps.get(event));
    }
    Flux.interval(Duration.ofMillis(10)).filter(i -> watched.get() == commits).blockFirst(TIMEOUT);
    watch.dispose();
    becomesAStandbyAndBack(one);
  }

  /** The former primary follows the new one. Writes are rejected for a while. */
  private void becomesAStandbyAndBack(Kv kv) throws SQLException {
    standby.query("ALTER SYSTEM SET default_transaction_read_only = on");
    standby.query("SELECT pg_reload_conf()");
    Mono<Versionstamp> write = kv.set(KEY, "later").cache();
    Disposable pending = write.subscribe(done -> {}, failed -> {});
    standby.await("SELECT pg_is_in_recovery()", "f");
    standby.query("ALTER SYSTEM RESET default_transaction_read_only");
    standby.query("SELECT pg_reload_conf()");
    get(write);
    assertThat(pending.isDisposed()).isTrue();
    assertThat(get(kv.get(KEY, String.class)).required()).isEqualTo("later");
  }
}
