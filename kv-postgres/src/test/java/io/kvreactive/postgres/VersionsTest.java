package io.kvreactive.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.Kv;
import io.kvreactive.KvEntry;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.KvU64;
import io.kvreactive.ListOptions;
import io.kvreactive.QueueOptions;
import io.kvreactive.Versionstamp;
import io.kvreactive.testing.Tries;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Every operation once on the oldest and the newest version of the server, in the long form also on
 * one between. The contracts run on one version.
 */
@ExtendWith(VertxExtension.class)
class VersionsTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(120);
  private static final KvKey COUNTER = KvKey.of("counter");
  private static final KvRange NUMBERS = KvRange.prefix("number");

  private static <T> T get(Mono<T> mono) {
    T value = mono.block(TIMEOUT);
    assertThat(value).isNotNull();
    return value;
  }

  static List<String> versions() {
    return List.of("14", "18", "16").subList(0, Tries.of(2, 3));
  }

  @ParameterizedTest
  @MethodSource("versions")
  void performsEachOperationAndUpgradesAStore(String version, Vertx vertx, @TempDir Path directory)
      throws Exception {
    try (PostgresServer server = PostgresServer.create(version, directory.resolve("data"))) {
      server.start();
      assertThat(server.query("SHOW server_version")).startsWith(version + ".");
      performEachOperation(vertx, server);
      upgradeAStoreInUse(vertx, server);
    }
  }

  private static Kv open(Vertx vertx, PostgresServer server, String schema) {
    return get(
        Kv.open(
            vertx,
            PostgresOptions.at("postgresql://postgres@" + server.address() + "/postgres")
                .withSchema(schema)));
  }

  private static void performEachOperation(Vertx vertx, PostgresServer server) throws SQLException {
    Kv kv = open(vertx, server, "kv");
    Mono<List<Long>> watched =
        kv.watch(COUNTER, KvU64.class)
            .filter(KvEntry::exists)
            .map(entry -> entry.required().value().longValue())
            .take(2)
            .collectList()
            .cache();
    watched.subscribe();
    get(Flux.range(0, 1000).flatMap(i -> kv.set(KvKey.of("number", i), i), 64).count());
    get(kv.atomic().sum(COUNTER, 41).enqueue("message").commit());
    assertThat(get(kv.queues().listen(String.class, QueueOptions.DEFAULT).next()).required())
        .isEqualTo("message");
    assertThat(get(kv.list(NUMBERS, Integer.class).map(KvEntry::required).collectList()))
        .hasSize(1000)
        .isSorted();
    assertThat(get(kv.list(NUMBERS, ListOptions.DEFAULT.withReverse(true)).take(3).collectList()))
        .extracting(KvEntry::key)
        .containsExactly(KvKey.of("number", 999), KvKey.of("number", 998), KvKey.of("number", 997));
    get(
        kv.transact(
            transaction ->
                transaction
                    .get(KvKey.of("number", 1), Integer.class)
                    .doOnNext(entry -> transaction.set(KvKey.of("copy"), entry.required()))));
    get(kv.set(KvKey.of("short"), 1, Duration.ofMillis(1)));
    server.await("SELECT count(*) FROM kv.entry WHERE expire_at > 0", "0");
    get(kv.deleteRange(NUMBERS));
    assertThat(get(kv.count(KvRange.all()))).isEqualTo(2);
    get(kv.atomic().sum(COUNTER, 1).commit());
    assertThat(get(watched)).containsExactly(41L, 42L);
    assertThat(get(kv.changes(KvRange.all(), Versionstamp.of(0)).take(1001).count()))
        .isEqualTo(1001);
    kv.close().block(TIMEOUT);
  }

  /** Version 1 had no columns for failovers. */
  private static void upgradeAStoreInUse(Vertx vertx, PostgresServer server) throws SQLException {
    Kv before = open(vertx, server, "old");
    get(before.atomic().sum(COUNTER, 41).enqueue("message").commit());
    Versionstamp last = get(before.set(KvKey.of("key"), "value"));
    before.close().block(TIMEOUT);
    server.query("DROP TABLE old.skipped, old.ended_delivery");
    server.query("ALTER TABLE old.head DROP cluster, DROP timeline, DROP lost");
    server.query("UPDATE old.format SET version = 1");

    Kv kv = open(vertx, server, "old");
    assertThat(server.query("SELECT version FROM old.format")).isEqualTo("3");
    assertThat(get(kv.get(KvKey.of("key"), String.class)).required()).isEqualTo("value");
    assertThat(get(kv.atomic().sum(COUNTER, 1).commit()).versionstamp()).isGreaterThan(last);
    assertThat(get(kv.get(COUNTER, KvU64.class)).required().value()).isEqualTo(42);
    assertThat(get(kv.queues().listen(String.class, QueueOptions.DEFAULT).next()).required())
        .isEqualTo("message");
    assertThat(get(kv.changes(KvRange.all(), Versionstamp.of(0)).take(3).count())).isEqualTo(3);
    kv.close().block(TIMEOUT);
  }
}
