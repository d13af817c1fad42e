package io.kvreactive.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvreactive.Kv;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvLimits;
import io.kvreactive.postgres.PostgresOptions.Host;
import io.kvreactive.postgres.PostgresOptions.Tls;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** URLs, and the errors of opening a store by an invalid one. */
@ExtendWith(VertxExtension.class)
class PostgresOptionsTest {
  @Test
  void readsEveryPartOfAUrl() {
    PostgresOptions options =
        PostgresOptions.at(
            "postgresql://me:a%40b@one:1,[::1]:2,three/data%20base"
                + "?schema=s&sslmode=verify-full&sslrootcert=/ca.pem");
    assertThat(options.hosts())
        .containsExactly(new Host("one", 1), new Host("::1", 2), new Host("three", 5432));
    assertThat(options.user()).isEqualTo("me");
    assertThat(options.password()).isEqualTo("a@b");
    assertThat(options.database()).isEqualTo("data base");
    assertThat(options.schema()).isEqualTo("s");
    assertThat(options.tls()).isEqualTo(Tls.VERIFY_FULL);
    assertThat(options.rootCertificate()).isEqualTo(Path.of("/ca.pem"));
    assertThat(options.toString()).doesNotContain("a@b");
  }

  @Test
  void hasDefaultsForAllButTheHost() {
    PostgresOptions options = PostgresOptions.at("postgresql://host");
    assertThat(options.user()).isEqualTo("postgres");
    assertThat(options.database()).isEqualTo("postgres");
    assertThat(options.schema()).isEqualTo("kv");
    assertThat(options.password()).isNull();
    assertThat(options.tls()).isEqualTo(Tls.PREFER);
    assertThat(options.limits()).isEqualTo(KvLimits.DEFAULT);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://host",
        "postgresql://",
        "postgresql://u:secret@host:x/d",
        "postgresql://u:secret@host/d?color=red",
        "postgresql://u:secret@host/d?sslmode=maybe",
        "postgresql://u:secret@host/d?schema=",
        "postgresql://u:secret@host/%zz"
      })
  void rejectsOtherUrlsWithoutShowingThePassword(String url) {
    assertThatThrownBy(() -> PostgresOptions.at(url))
        .isInstanceOfSatisfying(
            KvException.class, e -> assertThat(e.code()).isEqualTo(KvErrorCode.INVALID_ARGUMENT))
        .hasMessageNotContaining("secret");
  }

  @Test
  void rejectsKeysThatAnIndexCannotHold() {
    PostgresOptions options = PostgresOptions.at("postgresql://host");
    assertThatThrownBy(() -> options.withLimits(KvLimits.DEFAULT.withMaxKeyBytes(2049)))
        .hasMessageStartingWith("INVALID_ARGUMENT: limits.maxKeyBytes: 2049");
  }

  /** The outcome of a commit is looked up among the changes that are kept. */
  @Test
  void rejectsASnapshotAgeBelowTheRequestTimeout() {
    PostgresOptions options = PostgresOptions.at("postgresql://host");
    Duration request = options.requestTimeout();
    Duration less = request.minusMillis(1);
    assertThatThrownBy(() -> options.withRetention(request, 0, less))
        .hasMessage("INVALID_ARGUMENT: snapshotAge: PT29.999S (expected: at least 30 s)");
    assertThat(options.withRetention(request, 0, request).snapshotAge()).isEqualTo(request);
  }

  @Test
  void reportsWhyAStoreCannotBeOpened(Vertx vertx) {
    PostgresOptions unreachable =
        PostgresOptions.at("postgresql://localhost:1/none")
            .withTimeouts(Duration.ofMillis(300), Duration.ofSeconds(1));
    assertThatThrownBy(() -> Kv.open(vertx, unreachable).block(Duration.ofSeconds(30)))
        .hasMessageStartingWith("UNAVAILABLE: PostgreSQL cannot be reached");
    PostgresOptions nowhere =
        PostgresOptions.at(TestServer.url().replaceAll("/postgres$", "/no_such_database"));
    assertThatThrownBy(() -> Kv.open(vertx, nowhere).block(Duration.ofSeconds(30)))
        .hasMessageStartingWith("INVALID_ARGUMENT: PostgreSQL: database \"no_such_database\"");
  }
}
