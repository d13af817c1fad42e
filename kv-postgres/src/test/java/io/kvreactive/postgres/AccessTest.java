package io.kvreactive.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvreactive.Kv;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.Versionstamp;
import io.kvreactive.testing.Tries;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

/** A server that accepts only encrypted connections with SCRAM passwords, and its roles. */
@ExtendWith(VertxExtension.class)
class AccessTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  @TempDir static Path directory;
  private static PostgresServer server;
  private static Path certificate;
  private static Vertx vertx;

  @BeforeAll
  static void start(Vertx vertx) throws Exception {
    AccessTest.vertx = vertx;
    server = PostgresServer.create(PostgresServer.DEFAULT, directory.resolve("data"));
    certificate = server.data().resolve("server.crt");
    Path key = server.data().resolve("server.key");
    Process made =
        new ProcessBuilder(
                "openssl",
                "req",
                "-x509",
                "-newkey",
                "rsa:2048",
                "-nodes",
                "-days",
                "2",
                "-subj",
                "/CN=localhost",
                "-addext",
                "subjectAltName=DNS:localhost",
                "-keyout",
                key.toString(),
                "-out",
                certificate.toString())
            .redirectErrorStream(true)
            .start();
    String said = new String(made.getInputStream().readAllBytes());
    assertThat(made.waitFor()).as(said).isZero();
    Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
    server.configure("ssl = on", "password_encryption = 'scram-sha-256'");
    Files.writeString(
        server.data().resolve("pg_hba.conf"),
        "host all postgres all trust\nhostssl all all all scram-sha-256\n");
    server.start();
    server.query("CREATE ROLE owner LOGIN PASSWORD 'of-the-owner'");
    server.query("CREATE ROLE app LOGIN PASSWORD 'of@the app'");
    server.query("GRANT CREATE ON DATABASE postgres TO owner");
  }

  @AfterAll
  static void stop() throws Exception {
    server.close();
  }

  private static PostgresOptions at(String user, String host, String parameters) {
    return PostgresOptions.at(
            "postgresql://%s@%s:%d/postgres?%s".formatted(user, host, server.port(), parameters))
        .withTimeouts(TIMEOUT, TIMEOUT);
  }

  private static String verified() {
    return "sslmode=verify-full&sslrootcert=" + certificate;
  }

  /** Fails soon, instead of repeating the attempt. */
  private static void assertUnavailable(PostgresOptions options) {
    assertThat(failure(options.withConnectTimeout(Duration.ofMillis(500))))
        .isEqualTo(KvErrorCode.UNAVAILABLE);
  }

  private static KvErrorCode failure(PostgresOptions options) {
    KvErrorCode[] code = new KvErrorCode[1];
    assertThatThrownBy(() -> Kv.open(vertx, options).block(TIMEOUT))
        .isInstanceOfSatisfying(KvException.class, e -> code[0] = e.code());
    return code[0];
  }

  private static <T> T get(Mono<T> mono) {
    T value = mono.block(TIMEOUT);
    assertThat(value).isNotNull();
    return value;
  }

  @Test
  void verifiesTheServerAndAuthenticatesByScram() throws Exception {
    Kv kv = get(Kv.open(vertx, at("owner:of-the-owner", "localhost", verified())));
    get(kv.set(KvKey.of("a"), 1));
    assertThat(
            server.query(
                "SELECT bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)"
                    + " WHERE application_name = 'kv-reactive'"))
        .isEqualTo("t");
    kv.close().block(TIMEOUT);
    assertUnavailable(at("owner:of-the-owner", "127.0.0.1", verified())); // of another host
    assertUnavailable( // signed by an unknown authority
        at("owner:of-the-owner", "localhost", "sslmode=verify-full"));
    assertThat(failure(at("owner:wrong", "localhost", verified())))
        .isEqualTo(KvErrorCode.UNAUTHENTICATED);
    assertThat(failure(at("owner:of-the-owner", "localhost", "sslmode=disable")))
        .isEqualTo(KvErrorCode.UNAUTHENTICATED); // the server rejects unencrypted connections
  }

  @Test
  void leavesNoConnectionOpen() throws Exception {
    server.awaitConnections(0);
    for (String parameters : List.of("sslmode=prefer", "sslmode=require", verified())) {
      Kv kv = get(Kv.open(vertx, at("owner:of-the-owner", "localhost", parameters)));
      for (int i = 0; i < Tries.of(1, 3); i++) {
        get(kv.set(KvKey.of("a"), i));
        server.query(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'owner'");
        assertThat(get(kv.get(KvKey.of("a"), Integer.class)).required()).isEqualTo(i);
      }
      failure(at("owner:wrong", "localhost", parameters));
      assertUnavailable(at("owner:of-the-owner", "127.0.0.1", verified()));
      server.awaitConnections(at("owner", "localhost", "").readConnections() + 2);
      kv.close().block(TIMEOUT);
      server.awaitConnections(0);
    }
  }

  /** The engine remembers whether the server offers TLS. */
  @Test
  void negotiatesAgainWhenTheServerWasReconfigured() throws Exception {
    Path access = server.data().resolve("pg_hba.conf");
    String encrypted = Files.readString(access);
    Kv kv = get(Kv.open(vertx, at("owner:of-the-owner", "localhost", "sslmode=prefer")));
    for (String ssl : List.of("off", "on")) {
      server.stop();
      server.configure("ssl = " + ssl);
      Files.writeString(
          access, ssl.equals("on") ? encrypted : encrypted.replace("hostssl", "host"));
      server.start();
      get(kv.set(KvKey.of("a"), ssl));
      assertThat(get(kv.get(KvKey.of("a"), String.class)).required()).isEqualTo(ssl);
      assertThat(
              server.query(
                  "SELECT bool_and(ssl) = (current_setting('ssl') = 'on') FROM pg_stat_ssl"
                      + " JOIN pg_stat_activity USING (pid) WHERE usename = 'owner'"))
          .isEqualTo("t");
    }
    kv.close().block(TIMEOUT);
  }

  @ParameterizedTest
  @ValueSource(strings = {"pg_control_system()", "pg_walfile_name(pg_lsn)"})
  void worksOnAServerThatDoesNotTellItsPlace(String function) throws Exception {
    String all = "pg_control_system(), pg_walfile_name(pg_lsn)";
    boolean both = function.startsWith("pg_walfile_name");
    server.query("REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC".formatted(both ? all : function));
    try {
      PostgresOptions options =
          at("owner:of-the-owner", "localhost", verified() + "&schema=place" + both);
      for (int i = 0; i < 2; i++) {
        Kv kv = get(Kv.open(vertx, options));
        assertThat(get(kv.set(KvKey.of("a"), i)).version()).isEqualTo(i + 1);
        kv.close().block(TIMEOUT);
      }
    } finally {
      server.query("GRANT EXECUTE ON FUNCTION %s TO PUBLIC".formatted(all));
    }
  }

  @Test
  void worksWithTheLeastPrivileges() throws Exception {
    String schema = verified() + "&schema=least";
    get(Kv.open(vertx, at("owner:of-the-owner", "localhost", schema))).close().block(TIMEOUT);
    server.query("GRANT USAGE ON SCHEMA least TO app");
    server.query("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA least TO app");
    Kv kv = get(Kv.open(vertx, at("app:of%40the%20app", "localhost", schema)));
    get(kv.set(KvKey.of("a", 1), 1));
    get(kv.set(KvKey.of("a", 2), 2, Duration.ofMillis(1)));
    Versionstamp enqueued = get(kv.queues().enqueue("message"));
    assertThat(
            get(kv.queues().listen(String.class).next().flatMap(m -> m.ack().thenReturn(m)))
                .required())
        .isEqualTo("message");
    get(kv.deleteRange(KvRange.prefix("a")));
    assertThat(
            get(kv.changes(KvRange.prefix("a"), Versionstamp.ZERO).take(2).collectList())
                .get(0)
                .versionstamp())
        .isLessThan(enqueued);
    assertThat(get(kv.admin().stats()).version()).isGreaterThan(enqueued);
    kv.close().block(TIMEOUT);
    assertThat(failure(at("app:of%40the%20app", "localhost", verified() + "&schema=other")))
        .isEqualTo(KvErrorCode.FORBIDDEN);
  }
}
