package io.kvreactive.postgres;

import static io.kvreactive.internal.shared.ArgumentChecks.atLeast;
import static io.kvreactive.internal.shared.ArgumentChecks.between;
import static io.kvreactive.internal.shared.ArgumentChecks.check;

import io.kvreactive.KvException;
import io.kvreactive.KvLimits;
import io.kvreactive.Versionstamp;
import io.kvreactive.postgres.internal.PostgresUrl;
import io.kvreactive.postgres.internal.PostgresVerticle;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.KvEngineOptions;
import io.vertx.core.Vertx;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.immutables.value.Value;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * Options of a store in a schema of a PostgreSQL database. Immutable; start from {@link #at} and
 * open with {@code Kv.open(vertx, options)}.
 *
 * <p>Errors of opening: INVALID_ARGUMENT, UNAUTHENTICATED for a wrong user or password, FORBIDDEN
 * for missing privileges, UNAVAILABLE when no host answers as a primary in {@code connectTimeout},
 * CORRUPT for a schema of a newer version of this library, IO_FAILED for a store that has lost
 * commits until {@link #acceptLostCommits}.
 *
 * @param hosts the servers of one cluster, at least one; the engine finds the primary among them
 * @param user the role
 * @param password the password, or null for none
 * @param database the name of the database, which must exist
 * @param schema the name of the schema, one per store; created if absent
 * @param tls the encryption of connections and the verification of the server
 * @param rootCertificate the PEM file of the authorities that sign server certificates, or null for
 *     those of the JVM
 * @param readConnections the maximum number of connections for reads and queues, by default 8.
 *     Stores on one Vert.x whose options differ in the schema only share them. Each store has one
 *     more that writes, and one that listens
 * @param connectTimeout the maximum time to find and connect to the primary, by default 10 s
 * @param requestTimeout the maximum time of a statement, and of a call while no server is
 *     reachable; by default 30 s
 * @param idleTimeout the time without use after which connections are closed: those of the store,
 *     and each of those for reads. The next call opens them again; by default 10 minutes
 * @param pollInterval the time between two looks for commits of other engines; notifications of the
 *     server usually come earlier; by default 50 ms
 * @param retentionAge the time for which changes and older versions are kept, by default 7 days
 * @param retentionBytes the size from which on they are dropped earlier, but not before {@code
 *     snapshotAge}; by default 1 GiB
 * @param snapshotAge the minimum time for which changes and older versions are kept, and so the
 *     time for which a snapshot can be read; at least {@code requestTimeout}, within which the
 *     outcome of a commit is looked up; by default 5 minutes
 * @param limits the limits of calls
 * @param maxQueuedCommits the maximum number of waiting commits; further ones fail with OVERLOADED;
 *     by default 100,000
 * @param maxQueuedBytes the maximum size of the waiting commits in bytes, by default a sixteenth of
 *     the heap and at least 16 MiB
 */
@Value.Builder
public record PostgresOptions(
    List<Host> hosts,
    String user,
    @Nullable String password,
    String database,
    String schema,
    Tls tls,
    @Nullable Path rootCertificate,
    int readConnections,
    Duration connectTimeout,
    Duration requestTimeout,
    Duration idleTimeout,
    Duration pollInterval,
    Duration retentionAge,
    long retentionBytes,
    Duration snapshotAge,
    KvLimits limits,
    int maxQueuedCommits,
    long maxQueuedBytes)
    implements KvEngineOptions, WithPostgresOptions {
  /** The default port of PostgreSQL. */
  public static final int DEFAULT_PORT = 5432;

  private static final int MAX_KEY_BYTES = 2048;
  private static final String NAME = "postgres-";
  private static final int MAX_SCHEMA_CHARS = 48;
  private static final int MAX_SCHEMA_BYTES = 63; // PostgreSQL cuts longer names off
  private static final long MIB = 1 << 20;
  private static final Duration MILLISECOND = Duration.ofMillis(1);

  /**
   * A server.
   *
   * @param name the host name or address
   * @param port the TCP port
   */
  public record Host(String name, int port) {
    @Override
    public String toString() {
      return name + ":" + port;
    }
  }

  /** The protection of connections, with the names of {@code sslmode} in PostgreSQL. */
  public enum Tls {
    /** No encryption. */
    DISABLE,
    /** Encryption if the server offers it. The server is not verified. */
    PREFER,
    /** Encryption. The server is not verified. */
    REQUIRE,
    /** Encryption. The certificate must be signed by a known authority and be of that host. */
    VERIFY_FULL;

    /** Returns the value of {@code sslmode}. */
    public String parameter() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  public PostgresOptions {
    hosts = List.copyOf(hosts);
    atLeast("hosts", hosts.size(), 1);
    check(
        !schema.isBlank()
            && schema.length() <= MAX_SCHEMA_CHARS
            && schema.getBytes(StandardCharsets.UTF_8).length <= MAX_SCHEMA_BYTES
            && schema.indexOf('\0') < 0,
        "schema",
        '"' + schema + '"',
        "1 to %d characters and at most %d bytes in UTF-8"
            .formatted(MAX_SCHEMA_CHARS, MAX_SCHEMA_BYTES));
    atLeast("readConnections", readConnections, 1);
    atLeast("maxQueuedCommits", maxQueuedCommits, 1);
    atLeast("maxQueuedBytes", maxQueuedBytes, 1);
    atLeast("retentionBytes", retentionBytes, 0);
    atLeast("connectTimeout", connectTimeout, MILLISECOND);
    atLeast("requestTimeout", requestTimeout, MILLISECOND);
    atLeast("idleTimeout", idleTimeout, MILLISECOND);
    atLeast("pollInterval", pollInterval, MILLISECOND);
    atLeast("snapshotAge", snapshotAge, requestTimeout);
    atLeast("retentionAge", retentionAge, snapshotAge);
    // index rows of PostgreSQL have at most 2,704 bytes
    between("limits.maxKeyBytes", limits.maxKeyBytes(), 1, MAX_KEY_BYTES);
  }

  /**
   * Returns the options of a URL, {@code postgresql://user:password@host:port,host2/database}, with
   * the parameters {@code schema}, {@code sslmode} and {@code sslrootcert}. Reserved characters are
   * percent-encoded. Default user: {@code postgres}; default database: the name of the user;
   * default schema: {@code kv}.
   *
   * @throws KvException INVALID_ARGUMENT
   */
  public static PostgresOptions at(String url) {
    return PostgresUrl.parse(url);
  }

  /** Returns the options of a store on servers that are given one by one. */
  public static PostgresOptions at(List<Host> hosts, String user, String database, String schema) {
    long heap = Runtime.getRuntime().maxMemory();
    return new PostgresOptionsBuilder()
        .hosts(hosts)
        .user(user)
        .password(null)
        .database(database)
        .schema(schema)
        .tls(Tls.PREFER)
        .rootCertificate(null)
        .readConnections(8)
        .connectTimeout(Duration.ofSeconds(10))
        .requestTimeout(Duration.ofSeconds(30))
        .idleTimeout(Duration.ofMinutes(10))
        .pollInterval(Duration.ofMillis(50))
        .retentionAge(Duration.ofDays(7))
        .retentionBytes(1024 * MIB)
        .snapshotAge(Duration.ofMinutes(5))
        .limits(KvLimits.DEFAULT)
        .maxQueuedCommits(100_000)
        .maxQueuedBytes(Math.max(16 * MIB, heap / 16))
        .build();
  }

  @Override
  public String name() {
    return NAME + schema;
  }

  @Override
  public Mono<KvEngine> openEngine(Vertx vertx) {
    return PostgresVerticle.open(vertx, this);
  }

  @Override
  public Mono<Boolean> exists(Vertx vertx) {
    return PostgresVerticle.exists(vertx, this);
  }

  @Override
  public Mono<List<String>> existing(Vertx vertx) {
    return PostgresVerticle.schemas(vertx, this)
        .map(schemas -> schemas.stream().map(schema -> NAME + schema).toList());
  }

  /**
   * Accepts that the store has lost commits, after the failover to a standby that did not have them
   * or after a restore. The store gets a new history, which skips the versions of the lost commits.
   * Engines that have it open end their calls with IO_FAILED until they are opened again: commits
   * at once, reads after the next poll. Creates the store if there is none. Emits the versionstamp
   * of the newest remaining commit.
   *
   * <p>Errors: as for opening.
   */
  public Mono<Versionstamp> acceptLostCommits(Vertx vertx) {
    return PostgresVerticle.acceptLostCommits(vertx, this);
  }

  /** Returns the same without the password. */
  @Override
  public String toString() {
    return "PostgresOptions[%s@%s/%s, schema %s]".formatted(user, hosts, database, schema);
  }

  /** Returns these options with another protection of connections. */
  public PostgresOptions withTls(Tls tls, @Nullable Path rootCertificate) {
    return withTls(tls).withRootCertificate(rootCertificate);
  }

  /** Returns these options with another retention of changes and older versions. */
  public PostgresOptions withRetention(Duration age, long bytes, Duration snapshotAge) {
    return new PostgresOptionsBuilder()
        .from(this)
        .retentionAge(age)
        .retentionBytes(bytes)
        .snapshotAge(snapshotAge)
        .build();
  }

  /** Returns these options with other bounds of waiting commits. */
  public PostgresOptions withMailbox(int maxQueuedCommits, long maxQueuedBytes) {
    return withMaxQueuedCommits(maxQueuedCommits).withMaxQueuedBytes(maxQueuedBytes);
  }

  /** Returns these options with other timeouts. */
  public PostgresOptions withTimeouts(Duration connectTimeout, Duration requestTimeout) {
    return withConnectTimeout(connectTimeout).withRequestTimeout(requestTimeout);
  }
}
