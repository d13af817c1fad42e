package io.kvreactive.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kvreactive.EnqueueOptions;
import io.kvreactive.Kv;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.KvU64;
import io.kvreactive.Versionstamp;
import io.kvreactive.spi.Finish;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.LeaseToken;
import io.kvreactive.testing.Tries;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Faults of connections and of a server with fsync. */
@ExtendWith(VertxExtension.class)
class FaultTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(120);
  private static final int READ_CONNECTIONS = 4;

  /** Connections of an engine: also one that writes, and one that listens. */
  private static final int CONNECTIONS = READ_CONNECTIONS + 2;

  private static final KvKey COUNTER = KvKey.of("counter");

  @TempDir static Path directory;
  private static PostgresServer server;

  private Vertx vertx;
  private final String schema = "f" + System.nanoTime();
  private final List<Kv> open = new ArrayList<>();

  @BeforeEach
  void use(Vertx vertx) {
    this.vertx = vertx;
  }

  @BeforeAll
  static void start() throws Exception {
    server = PostgresServer.create(PostgresServer.DEFAULT, directory.resolve("data"));
    server.configure("max_connections = 24", "superuser_reserved_connections = 3");
    server.start();
    server.query("CREATE ROLE app LOGIN");
    server.query("GRANT CREATE ON DATABASE postgres TO app");
  }

  @AfterAll
  static void stop() throws Exception {
    server.close();
  }

  @AfterEach
  void close() {
    open.forEach(kv -> kv.close().block(TIMEOUT));
  }

  private static PostgresOptions options(int port) {
    return PostgresOptions.at("postgresql://app@localhost:" + port + "/postgres")
        .withReadConnections(READ_CONNECTIONS);
  }

  private Kv open(int port) {
    return open(port, Duration.ofSeconds(60));
  }

  private Kv open(int port, Duration timeout) {
    return open(port, timeout, READ_CONNECTIONS);
  }

  private Kv open(int port, Duration timeout, int readConnections) {
    PostgresOptions options =
        options(port)
            .withSchema(schema)
            .withReadConnections(readConnections)
            .withTimeouts(timeout, timeout);
    Kv kv = get(Kv.open(vertx, options));
    open.add(kv);
    return kv;
  }

  private static <T> T get(Mono<T> mono) {
    T value = mono.block(TIMEOUT);
    assertThat(value).isNotNull();
    return value;
  }

  private static Mono<Versionstamp> add(Kv kv) {
    return kv.atomic().sum(COUNTER, 1).commit().map(done -> done.versionstamp());
  }

  private static long counted(Kv kv) {
    return get(kv.get(COUNTER, KvU64.class)).required().value().longValue();
  }

  /** A commit without an id would be applied twice, or not at all, if its outcome were guessed. */
  @ParameterizedTest
  @EnumSource
  void commitsOnceThoughTheConnectionIsLost(CuttingProxy.Cut cut) {
    try (CuttingProxy proxy = new CuttingProxy(vertx, server.port())) {
      Kv kv = open(proxy.port());
      long last = 0;
      for (int i = 1; i <= Tries.of(2, 5); i++) {
        proxy.cutNext(cut);
        Versionstamp version = get(add(kv));
        assertThat(get(kv.get(COUNTER)).versionstamp()).isEqualTo(version);
        assertThat(version.version()).isGreaterThan(last); // the lost version is skipped
        last = version.version();
        assertThat(proxy.cuts()).isEqualTo(i);
        assertThat(counted(kv)).isEqualTo(i);
      }
      open.remove(kv);
      kv.close().block(TIMEOUT);
    }
  }

  /** The messages have one attempt, which a claim that is lost would use up. */
  @ParameterizedTest
  @EnumSource
  void repeatsClaimsAndEndsOfDeliveriesWhoseAnswersAreLost(CuttingProxy.Cut cut) throws Exception {
    EnqueueOptions once = EnqueueOptions.DEFAULT.withQueue("orders").withBackoff(List.of());
    try (CuttingProxy proxy = new CuttingProxy(vertx, server.port())) {
      Kv kv = open(proxy.port());
      KvEngine other = open(server.port()).engine();
      for (int i = 0; i < 4; i++) {
        get(kv.queues().enqueue("order " + i, once));
      }
      KvEngine engine = kv.engine();
      proxy.cutNext(cut, "orders".getBytes(StandardCharsets.UTF_8));
      List<LeaseToken> claimed = claim(engine, 3);
      assertThat(proxy.cuts()).isEqualTo(1);
      assertThat(claimed).hasSize(3).extracting(LeaseToken::id).isSorted();
      assertThat(
              server.query(
                  "SELECT count(*) FROM \"%s\".message WHERE lease <> 0".formatted(schema)))
          .isEqualTo("3");
      List<Finish> ways = List.of(new Finish.Ack(), new Finish.Release(), new Finish.Retry(null));
      for (int i = 0; i < 3; i++) {
        LeaseToken token = claimed.get(i);
        Finish how = ways.get(i);
        proxy.cutNext(cut, ByteBuffer.allocate(Long.BYTES).putLong(token.lease()).array());
        engine.finish(token, how).block(TIMEOUT);
        assertThat(proxy.cuts()).isEqualTo(2 + i);
        other.finish(token, how).block(TIMEOUT); // by a client that did not get the answer either
        Finish another = ways.get((i + 1) % 3);
        assertThatThrownBy(() -> other.finish(token, another).block(TIMEOUT))
            .hasMessageStartingWith("LEASE_LOST");
      }
      assertThat(claim(other, 10)) // the last one was its last attempt
          .extracting(LeaseToken::id)
          .hasSize(2)
          .contains(claimed.get(1).id())
          .doesNotContain(claimed.get(0).id(), claimed.get(2).id());
    }
  }

  private static List<LeaseToken> claim(KvEngine engine, int max) {
    return get(engine.claim("orders", max, TIMEOUT.toMillis())).stream()
        .map(
            message -> {
              assertThat(message.attempt()).isEqualTo(1);
              return message.token();
            })
        .toList();
  }

  /** Commits wait for the lock of the head. */
  @Test
  void dropsOldChangesWithoutALockThatCommitsWaitFor() throws Exception {
    Kv kv =
        get(
            Kv.open(
                vertx,
                options(server.port())
                    .withSchema(schema)
                    .withRequestTimeout(TIMEOUT)
                    .withRetention(TIMEOUT, 0, TIMEOUT)));
    open.add(kv);
    get(add(kv));
    try (Connection user = server.connect()) {
      user.setAutoCommit(false);
      user.createStatement().execute("SELECT 1 FROM \"%s\".change FOR UPDATE".formatted(schema));
      server.query("UPDATE \"%s\".batch SET millis = 0".formatted(schema));
      server.await( // the deletion of the change
          "SELECT count(*) > 0 FROM pg_stat_activity"
              + " WHERE wait_event_type = 'Lock' AND usename = 'app'",
          "t");
      server.query("SELECT 1 FROM \"%s\".head FOR UPDATE NOWAIT".formatted(schema));
      get(add(kv));
      user.rollback();
    }
    server.await("SELECT count(*) FROM \"%s\".change".formatted(schema), "1");
  }

  /** The server has ended the sessions without a notice to the engine, as after a failover. */
  @Test
  void removesExpiredEntriesAfterConnectionsAreLostWithoutAClose() throws Exception {
    String entries = "SELECT count(*) FROM \"%s\".entry".formatted(schema);
    try (CuttingProxy proxy = new CuttingProxy(vertx, server.port())) {
      Kv kv = open(proxy.port(), Duration.ofSeconds(2));
      get(kv.set(KvKey.of("first"), 1, Duration.ofMillis(1)));
      server.await(entries, "0"); // the engine maintains the store
      get(kv.set(KvKey.of("second"), 2, Duration.ofHours(1)));
      get(kv.admin().stats());
      for (int i = 0; i < 3; i++) { // the answer to the notification of the commit was received
        server.await(
            "SELECT count(*) > 0 FROM pg_stat_activity WHERE usename = 'app'"
                + " AND query LIKE '%%expire_at <= %%' AND query_start > '%s'"
                    .formatted(server.query("SELECT clock_timestamp()")),
            "t");
      }

      proxy.loseOpenConnections();
      server.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'app'");
      server.query("UPDATE \"%s\".entry SET expire_at = 1".formatted(schema));
      server.await(entries, "0");
      open.remove(kv);
      kv.close().block(TIMEOUT);
    }
  }

  @Test
  void waitsForAConnectionWhileTheServerHasTooMany() throws Exception {
    Kv kv = open(server.port());
    get(add(kv));
    List<Connection> all = new ArrayList<>();
    try {
      server.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'app'");
      takeAllConnections(all);
      server.query(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
              + " WHERE application_name = 'kv-reactive'");
      Mono<Versionstamp> waiting = add(kv).cache();
      waiting.subscribe(done -> {}, failed -> {});
      closeAll(all);
      get(waiting);
    } finally {
      closeAll(all);
    }
    assertThat(counted(kv)).isEqualTo(2);
  }

  @Test
  void sharesTheConnectionsForReadsAmongStores() {
    List<Kv> stores =
        Flux.range(0, 4)
            .concatMap(i -> Kv.open(vertx, options(server.port()).withSchema(schema + i)))
            .doOnNext(open::add)
            .collectList()
            .block(TIMEOUT);
    assertThat(stores).hasSize(4);
    Flux.fromIterable(stores)
        .flatMap(kv -> Flux.range(0, 50).flatMap(i -> kv.get(COUNTER), 50))
        .blockLast(TIMEOUT);
    server.awaitConnections(READ_CONNECTIONS + 4 * 2);
  }

  @Test
  void givesUpItsConnectionsWhileItIsNotUsed() {
    PostgresOptions options =
        options(server.port()).withSchema(schema).withIdleTimeout(Duration.ofMillis(100));
    Kv kv = get(Kv.open(vertx, options));
    open.add(kv);
    for (int i = 1; i <= 2; i++) {
      server.awaitConnections(0);
      get(add(kv));
      assertThat(counted(kv)).isEqualTo(i);
    }
    server.awaitConnections(0);
    Flux<Long> watched =
        kv.watch(COUNTER, KvU64.class).map(entry -> entry.required().value().longValue());
    Flux<Long> two = watched.take(2).cache();
    two.subscribe(done -> {}, failed -> {});
    assertThat(two.blockFirst(TIMEOUT)).isEqualTo(2);
    Kv other = open(server.port());
    get(add(other));
    assertThat(two.collectList().block(TIMEOUT)).containsExactly(2L, 3L);
  }

  /** The pool may have more connections than the server accepts. */
  @Test
  void readsByTheConnectionsThatThereAreWhileOthersAreRefused() throws Exception {
    Kv kv = open(server.port(), Duration.ofSeconds(60), 8);
    get(add(kv));
    assertThat(counted(kv)).isEqualTo(1);
    List<Connection> all = new ArrayList<>();
    try {
      takeAllConnections(all);
      List<Long> read =
          get(
              Flux.range(0, 1000)
                  .flatMap(i -> kv.get(COUNTER, KvU64.class), 500)
                  .map(entry -> entry.required().value().longValue())
                  .collectList());
      assertThat(read).hasSize(1000).containsOnly(1L);
    } finally {
      closeAll(all);
    }
  }

  /** The server has no TLS, for which the engine asks first. */
  @Test
  void leavesNoConnectionOpen() throws Exception {
    server.awaitConnections(0);
    Kv kv = open(server.port());
    for (int i = 1; i <= 5; i++) {
      get(add(kv));
      server.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'app'");
      assertThat(counted(kv)).isEqualTo(i);
    }
    server.awaitConnections(CONNECTIONS);
    String url = "postgresql://%s@localhost:" + server.port() + "/postgres?sslmode=%s";
    Duration soon = Duration.ofMillis(300);
    Duration answered = Duration.ofSeconds(1); // refused attempts are repeated for as long
    PostgresOptions prefer = PostgresOptions.at(url.formatted("app", "prefer"));
    PostgresOptions noRole = PostgresOptions.at(url.formatted("nobody", "prefer"));
    PostgresOptions noTls = PostgresOptions.at(url.formatted("app", "require"));
    refused(noRole, KvErrorCode.UNAUTHENTICATED);
    assertThat(refused(noTls.withConnectTimeout(answered), KvErrorCode.UNAVAILABLE))
        .hasMessageContaining("localhost:" + server.port() + " offers no TLS")
        .hasMessageContaining("sslmode=require");
    server.awaitConnections(CONNECTIONS);

    List<Connection> all = new ArrayList<>();
    try {
      takeAllConnections(all);
      refused(prefer.withConnectTimeout(answered), KvErrorCode.OVERLOADED);
    } finally {
      closeAll(all);
    }
    server.awaitConnections(CONNECTIONS);

    server.signal("STOP");
    try {
      refused(prefer.withConnectTimeout(soon), KvErrorCode.UNAVAILABLE);
    } finally {
      server.signal("CONT");
    }
    server.awaitConnections(CONNECTIONS);
    open.remove(kv);
    kv.close().block(TIMEOUT);
    server.awaitConnections(0);
  }

  private KvException refused(PostgresOptions options, KvErrorCode code) {
    KvException[] refusal = new KvException[1];
    assertThatThrownBy(() -> Kv.open(vertx, options.withSchema(schema)).block(TIMEOUT))
        .isInstanceOfSatisfying(
            KvException.class,
            e -> {
              refusal[0] = e;
              assertThat(e.code()).isEqualTo(code);
            });
    return refusal[0];
  }

  private static void takeAllConnections(List<Connection> all) {
    assertThatThrownBy(
            () -> {
              while (true) {
                all.add(
                    DriverManager.getConnection(
                        "jdbc:postgresql://localhost:" + server.port() + "/postgres?user=app"));
              }
            })
        .isInstanceOfSatisfying(
            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("53300"));
  }

  private static void closeAll(List<Connection> all) throws SQLException {
    for (Connection each : all) {
      each.close();
    }
  }

  /** A group that the crash has undone leaves a gap, since its version is not assigned again. */
  @Test
  void goesOnAfterACrashOfTheServer() throws Exception {
    Kv kv = open(server.port());
    get(add(kv));
    Mono<List<Versionstamp>> commits =
        Flux.range(1, 399).flatMap(i -> add(kv), 4).collectList().cache();
    commits.subscribe(done -> {}, failed -> {});
    while (counted(kv) < 100) {
      Thread.onSpinWait();
    }
    server.kill();
    server.start();
    List<Versionstamp> versions = get(commits);
    assertThat(versions).hasSize(399).doesNotHaveDuplicates();
    assertThat(counted(kv)).isEqualTo(400);
    assertThat(get(kv.get(COUNTER)).versionstamp()).isEqualTo(Collections.max(versions));
  }

  /** Another program locks rows in another order, so PostgreSQL ends a transaction. */
  @Test
  void repeatsCommitsThatPostgresqlEndsForADeadlock() throws Exception {
    Kv kv = open(server.port());
    KvKey key = KvKey.of("key");
    get(kv.set(key, 1));
    try (Connection other = server.connect()) {
      other.setAutoCommit(false);
      other.createStatement().execute("SET deadlock_timeout = '60s'");
      other.createStatement().execute("SELECT 1 FROM \"" + schema + "\".entry FOR UPDATE");
      Mono<Versionstamp> waiting = kv.set(key, 2).cache();
      waiting.subscribe(done -> {}, failed -> {});
      server.await(
          "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
              + " AND usename = 'app'",
          "1");
      // waits for the head, which the commit has locked; the commit detects the deadlock and loses
      other.createStatement().execute("SELECT 1 FROM \"" + schema + "\".head FOR UPDATE");
      other.rollback();
      get(waiting);
    }
    assertThat(get(kv.get(key, Integer.class)).required()).isEqualTo(2);
  }

  /** With that default, PostgreSQL ends statements that wait for another engine with 40001. */
  @Test
  void commitsThoughTheDefaultOfTheRoleIsSerializable() throws Exception {
    server.query("ALTER ROLE app SET default_transaction_isolation = 'serializable'");
    try {
      Kv one = open(server.port());
      Kv two = open(server.port());
      int each = Tries.of(150, 500);
      Flux<Versionstamp> sets =
          Flux.range(0, each).flatMap(i -> (i % 2 == 0 ? one : two).set(KvKey.of("k", i), i), 8);
      Flux<Versionstamp> sums = Flux.range(0, each).flatMap(i -> add(i % 2 == 0 ? one : two), 8);
      assertThat(get(Flux.merge(sets, sums).collectList())).hasSize(2 * each);
      assertThat(counted(one)).isEqualTo(each);
      assertThat(get(two.count(KvRange.prefix("k")))).isEqualTo(each);
    } finally {
      server.query("ALTER ROLE app RESET default_transaction_isolation");
    }
  }

  @Test
  void rejectsCommitsOnAFullDiskAndResumesWhenThereIsSpace() throws Exception {
    assumeTrue(System.getProperty("user.name").equals("root"), "root, to mount a tmpfs");
    Path small = Files.createDirectory(directory.resolve("small"));
    assumeTrue(
        new ProcessBuilder("mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", small.toString())
                .start()
                .waitFor()
            == 0,
        "a mount");
    try {
      Path space = Files.createDirectory(small.resolve("space"));
      server.query("CREATE TABLESPACE small LOCATION '" + space + "'");
      server.query("GRANT CREATE ON TABLESPACE small TO app");
      Kv kv = open(server.port());
      get(kv.set(KvKey.of("kept"), 1));
      server.query("ALTER TABLE \"" + schema + "\".entry SET TABLESPACE small");
      Path filler = small.resolve("filler");
      Files.write(filler, new byte[20 << 20]);
      byte[] random = new byte[60_000];
      new java.util.Random(1).nextBytes(random);
      Flux<Versionstamp> filling =
          Flux.range(0, 1000).concatMap(i -> kv.set(KvKey.of("big", i), random));
      assertThatThrownBy(() -> filling.blockLast(TIMEOUT))
          .isInstanceOfSatisfying(
              KvException.class, e -> assertThat(e.code()).isEqualTo(KvErrorCode.DISK_FULL));
      assertThat(get(kv.get(KvKey.of("kept"), Integer.class)).required()).isEqualTo(1);
      long keys = get(kv.count(KvRange.prefix("big")));
      Files.delete(filler);
      get(kv.set(KvKey.of("big", 2000), random));
      assertThat(get(kv.count(KvRange.prefix("big")))).isEqualTo(keys + 1);
      kv.close().block(TIMEOUT);
      open.remove(kv);
      server.query("DROP SCHEMA \"" + schema + "\" CASCADE");
      server.query("DROP TABLESPACE small");
    } finally {
      new ProcessBuilder("umount", "-l", small.toString()).start().waitFor();
    }
  }
}
