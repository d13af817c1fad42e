package io.kvreactive.postgres;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvLimits;
import io.kvreactive.postgres.internal.PostgresUrl;
import io.kvreactive.postgres.internal.PostgresVerticle;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.KvEngineOptions;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * Options of a store in a schema of a PostgreSQL database. Immutable; start from {@link #at} and
 * open with {@code Kv.open(vertx, options)}.
 *
 * <p>Errors of opening: INVALID_ARGUMENT, UNAUTHENTICATED for a wrong user or password, FORBIDDEN
 * for missing privileges, UNAVAILABLE when no host answers as a primary in {@code connectTimeout},
 * CORRUPT for a schema of a newer version of this library.
 *
 * @param hosts the servers of one cluster, at least one; the engine finds the primary among them
 * @param user the role
 * @param password the password, or null for none
 * @param database the name of the database, which must exist
 * @param schema the name of the schema, one per store; created if absent
 * @param tls whether connections are encrypted and the server is verified
 * @param rootCertificate the PEM file of the authorities that sign server certificates, or null for
 *     those of the JVM
 * @param readConnections the maximum number of connections for reads and queues; one more writes
 *     and one listens
 * @param connectTimeout the maximum time to find and connect to the primary when opening
 * @param requestTimeout the maximum time of a statement, and of a call while no server is reachable
 * @param pollInterval the time between two looks for commits of other engines; notifications of the
 *     server usually come earlier
 * @param retentionAge how long changes and older versions are kept
 * @param retentionBytes the size from which on they are dropped earlier, but not before {@code
 *     snapshotAge}
 * @param snapshotAge how long changes and older versions are kept at least, and so how long a
 *     snapshot can be read
 * @param limits the limits of calls
 * @param maxQueuedCommits the maximum number of waiting commits; further ones fail with OVERLOADED
 * @param maxQueuedBytes the maximum size of the waiting commits in bytes
 */
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
    Duration pollInterval,
    Duration retentionAge,
    long retentionBytes,
    Duration snapshotAge,
    KvLimits limits,
    int maxQueuedCommits,
    long maxQueuedBytes)
    implements KvEngineOptions {
  /** The default port of PostgreSQL. */
  public static final int DEFAULT_PORT = 5432;

  private static final int MAX_KEY_BYTES = 2048;
  private static final int MAX_SCHEMA_CHARS = 48;
  private static final long MIB = 1 << 20;

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

  /** How connections are protected; the names are those of {@code sslmode} in PostgreSQL. */
  public enum Tls {
    /** No encryption. */
    DISABLE,
    /** Encryption if the server offers it. The server is not verified. */
    PREFER,
    /** Encryption. The server is not verified. */
    REQUIRE,
    /** Encryption. The certificate must be signed by a known authority and be of that host. */
    VERIFY_FULL
  }

  public PostgresOptions {
    hosts = List.copyOf(hosts);
    if (hosts.isEmpty()) {
      throw invalid("hosts", "none", "at least one");
    }
    if (schema.isBlank() || schema.length() > MAX_SCHEMA_CHARS || schema.indexOf('\0') >= 0) {
      throw invalid("schema", '"' + schema + '"', "1 to " + MAX_SCHEMA_CHARS + " characters");
    }
    atLeast("readConnections", readConnections, 1);
    atLeast("maxQueuedCommits", maxQueuedCommits, 1);
    atLeast("maxQueuedBytes", maxQueuedBytes, 1);
    atLeast("retentionBytes", retentionBytes, 0);
    positive("connectTimeout", connectTimeout);
    positive("requestTimeout", requestTimeout);
    positive("pollInterval", pollInterval);
    positive("snapshotAge", snapshotAge);
    if (retentionAge.compareTo(snapshotAge) < 0) {
      throw invalid("retentionAge", retentionAge, "at least snapshotAge, " + snapshotAge);
    }
    if (limits.maxKeyBytes() > MAX_KEY_BYTES) { // index rows of PostgreSQL have at most 2,704 bytes
      throw invalid("limits.maxKeyBytes", limits.maxKeyBytes(), "at most " + MAX_KEY_BYTES);
    }
  }

  private static void atLeast(String what, long value, long least) {
    if (value < least) {
      throw invalid(what, value, "at least " + least);
    }
  }

  private static void positive(String what, Duration value) {
    if (value.toMillis() < 1) {
      throw invalid(what, value, "at least 1 ms");
    }
  }

  private static KvException invalid(String what, Object value, String expected) {
    return new KvException(
        KvErrorCode.INVALID_ARGUMENT, what + ": " + value + " (expected: " + expected + ")");
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
    return new PostgresOptions(
        hosts,
        user,
        null,
        database,
        schema,
        Tls.PREFER,
        null,
        8,
        Duration.ofSeconds(10),
        Duration.ofSeconds(30),
        Duration.ofMillis(50),
        Duration.ofDays(7),
        1024 * MIB,
        Duration.ofMinutes(5),
        KvLimits.DEFAULT,
        100_000,
        Math.max(16 * MIB, heap / 16));
  }

  @Override
  public String name() {
    return "postgres-" + schema;
  }

  @Override
  public Mono<KvEngine> openEngine(Vertx vertx) {
    return PostgresVerticle.open(vertx, this);
  }

  /** Returns the same without the password. */
  @Override
  public String toString() {
    return "PostgresOptions[%s@%s/%s, schema %s]".formatted(user, hosts, database, schema);
  }

  /** Returns these options with a password. */
  public PostgresOptions withPassword(@Nullable String password) {
    return with(copy -> copy.password = password);
  }

  /** Returns these options with another schema. */
  public PostgresOptions withSchema(String schema) {
    return with(copy -> copy.schema = schema);
  }

  /** Returns these options with another protection of connections; the default is PREFER. */
  public PostgresOptions withTls(Tls tls, @Nullable Path rootCertificate) {
    return with(
        copy -> {
          copy.tls = tls;
          copy.rootCertificate = rootCertificate;
        });
  }

  /** Returns these options with another number of connections for reads; the default is 8. */
  public PostgresOptions withReadConnections(int readConnections) {
    return with(copy -> copy.readConnections = readConnections);
  }

  /** Returns these options with other timeouts; the defaults are 10 and 30 seconds. */
  public PostgresOptions withTimeouts(Duration connectTimeout, Duration requestTimeout) {
    return with(
        copy -> {
          copy.connectTimeout = connectTimeout;
          copy.requestTimeout = requestTimeout;
        });
  }

  /** Returns these options with another poll interval; the default is 50 ms. */
  public PostgresOptions withPollInterval(Duration pollInterval) {
    return with(copy -> copy.pollInterval = pollInterval);
  }

  /** Returns these options with another retention; the defaults are 7 days, 1 GiB and 5 minutes. */
  public PostgresOptions withRetention(Duration age, long bytes, Duration snapshotAge) {
    return with(
        copy -> {
          copy.retentionAge = age;
          copy.retentionBytes = bytes;
          copy.snapshotAge = snapshotAge;
        });
  }

  /** Returns these options with other limits; the default is {@link KvLimits#DEFAULT}. */
  public PostgresOptions withLimits(KvLimits limits) {
    return with(copy -> copy.limits = limits);
  }

  /**
   * Returns these options with other bounds of waiting commits; the defaults are 100,000 and a
   * sixteenth of the heap, at least 16 MiB.
   */
  public PostgresOptions withMailbox(int maxQueuedCommits, long maxQueuedBytes) {
    return with(
        copy -> {
          copy.maxQueuedCommits = maxQueuedCommits;
          copy.maxQueuedBytes = maxQueuedBytes;
        });
  }

  private PostgresOptions with(Consumer<Copy> change) {
    Copy copy = new Copy(this);
    change.accept(copy);
    return copy.toOptions();
  }

  /** A mutable copy of the components. */
  private static final class Copy {
    private final PostgresOptions from;
    private @Nullable String password;
    private String schema;
    private Tls tls;
    private @Nullable Path rootCertificate;
    private int readConnections;
    private Duration connectTimeout;
    private Duration requestTimeout;
    private Duration pollInterval;
    private Duration retentionAge;
    private long retentionBytes;
    private Duration snapshotAge;
    private KvLimits limits;
    private int maxQueuedCommits;
    private long maxQueuedBytes;

    Copy(PostgresOptions from) {
      this.from = from;
      password = from.password;
      schema = from.schema;
      tls = from.tls;
      rootCertificate = from.rootCertificate;
      readConnections = from.readConnections;
      connectTimeout = from.connectTimeout;
      requestTimeout = from.requestTimeout;
      pollInterval = from.pollInterval;
      retentionAge = from.retentionAge;
      retentionBytes = from.retentionBytes;
      snapshotAge = from.snapshotAge;
      limits = from.limits;
      maxQueuedCommits = from.maxQueuedCommits;
      maxQueuedBytes = from.maxQueuedBytes;
    }

    PostgresOptions toOptions() {
      return new PostgresOptions(
          from.hosts,
          from.user,
          password,
          from.database,
          schema,
          tls,
          rootCertificate,
          readConnections,
          connectTimeout,
          requestTimeout,
          pollInterval,
          retentionAge,
          retentionBytes,
          snapshotAge,
          limits,
          maxQueuedCommits,
          maxQueuedBytes);
    }
  }
}
