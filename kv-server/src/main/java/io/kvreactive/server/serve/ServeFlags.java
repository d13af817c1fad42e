package io.kvreactive.server.serve;

import io.kvreactive.Durability;
import io.kvreactive.postgres.PostgresOptions;
import io.kvreactive.server.Units;
import io.kvreactive.web.ConnectionOptions;
import io.kvreactive.web.LimitOptions;
import io.kvreactive.web.OperationsOptions;
import io.kvreactive.web.RoutesOptions;
import io.kvreactive.web.ServerOptions;
import io.kvreactive.web.StreamOptions;
import io.kvreactive.web.TlsOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.IModelTransformer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;

/**
 * The flags of {@code kv serve}. The environment variable of a flag is {@link Settings#variable};
 * its property in the configuration file is its name. The initial values are the defaults. {@link
 * ByType} has what the types of flags have in common.
 */
@Command(modelTransformer = ServeFlags.ByType.class)
final class ServeFlags {
  /** Sets the labels and the conversions that follow from the types of flags. */
  static final class ByType implements IModelTransformer {
    @Override
    public CommandSpec transform(CommandSpec command) {
      for (OptionSpec flag : List.copyOf(command.options())) {
        command.remove(flag); // and added again, in their order
        command.addOption(typed(flag));
      }
      return command;
    }

    private static OptionSpec typed(OptionSpec flag) {
      OptionSpec.Builder typed = flag.toBuilder();
      if (flag.type() == Duration.class) {
        typed.paramLabel("TIME").converters(new Units.Time());
      } else if (flag.type() == long.class || flag.type() == Long.class) {
        typed.paramLabel("SIZE").converters(new Units.Size());
      } else if (flag.type() == int.class) {
        typed.paramLabel("N");
      } else if (flag.type() == Path.class && flag.paramLabel().startsWith("<")) {
        typed.paramLabel("FILE");
      } else if (!flag.usageHelp() && flag.typeInfo().isBoolean()) {
        typed.paramLabel("BOOL").arity("0..1").fallbackValue("true"); // --flag, --flag=false
      }
      return typed.build();
    }
  }

  /** The time at which a commit becomes durable. */
  enum Synced {
    /** Before the response. */
    SYNC,
    /** Soon after the response. */
    RELAXED;

    Durability durability() {
      return this == SYNC ? Durability.SYNC : Durability.RELAXED;
    }
  }

  /** The engine of the default database. */
  enum Engine {
    /** In this process, in a directory or in memory. */
    EMBEDDED,
    /** In a PostgreSQL database. */
    POSTGRES
  }

  private static final ConnectionOptions CONNECTIONS = ConnectionOptions.DEFAULT;
  private static final PostgresOptions POSTGRES = PostgresOptions.at("postgresql://localhost");

  @Option(names = "--path", paramLabel = "DIR", description = "directory of the stores")
  Path path = Path.of("data", "kv");

  @Option(names = "--memory", description = "stores in memory, without files")
  boolean memory;

  @Option(
      names = "--engine",
      paramLabel = "ENGINE",
      description = "${COMPLETION-CANDIDATES}: files or memory of this process, or --url")
  Engine engine = Engine.EMBEDDED;

  @Option(
      names = "--url",
      paramLabel = "URL",
      description =
          "database of --engine postgres: postgresql://user@host:port,host/database"
              + " (KV_SERVER_URL)")
  @Nullable String url;

  @Option(
      names = "--postgres-connections",
      description =
          "maximum number of connections for reads of all databases; each database in use has two"
              + " more")
  int postgresConnections = POSTGRES.readConnections();

  @Option(
      names = "--postgres-connect-timeout",
      description = "maximum time to find and connect to the primary")
  Duration postgresConnectTimeout = POSTGRES.connectTimeout();

  @Option(
      names = "--postgres-request-timeout",
      description = "maximum time of a statement, and of a request while no server is reachable")
  Duration postgresRequestTimeout = POSTGRES.requestTimeout();

  @Option(
      names = "--postgres-idle-timeout",
      description = "time without use after which a database closes its connections")
  Duration postgresIdleTimeout = POSTGRES.idleTimeout();

  @Option(
      names = "--postgres-snapshot-age",
      description =
          "minimum age up to which snapshots can be read and changes are kept; at least the request"
              + " timeout")
  Duration postgresSnapshotAge = POSTGRES.snapshotAge();

  @Option(names = "--host", paramLabel = "HOST", description = "address to listen on")
  String host = ServerOptions.DEFAULT_HOST;

  @Option(names = "--port", description = "port to listen on; 0 for any free port")
  int port = ServerOptions.DEFAULT_PORT;

  @Option(
      names = "--token",
      paramLabel = "TOKEN",
      description = "access token that allows everything (KV_SERVER_TOKEN)")
  @Nullable String token;

  @Option(
      names = "--token-file",
      description = "file whose first line is the token of --token (KV_SERVER_TOKEN_FILE)")
  @Nullable Path tokenFile;

  @Option(
      names = "--tokens",
      description = "file of scoped tokens (default: tokens.json in the directory)")
  @Nullable Path tokens;

  @Option(names = "--config", description = "YAML file whose properties are the names of flags")
  @Nullable Path config;

  @Option(
      names = "--print-config",
      description = "print the effective settings and their sources, and exit")
  boolean printConfig;

  @Option(
      names = "--create-databases",
      description =
          "the first write to /db/NAME, or opening it by KV Connect, creates the database, for"
              + " tokens with ADMIN access (default: true)")
  boolean createDatabases = true;

  @Option(
      names = "--allow-lazy",
      description = "allow the indexing mode lazy, in which queries may lack new items")
  boolean allowLazy;

  @Option(
      names = "--durability",
      paramLabel = "WHEN",
      description = "${COMPLETION-CANDIDATES}: sync before the response, or soon after")
  Synced durability = Synced.SYNC;

  @Option(
      names = "--log-retention",
      description =
          "size up to which the log, or the changes in PostgreSQL, are retained for change feeds"
              + " and restores (default: the store's)")
  @Nullable Long logRetention;

  @Option(
      names = "--log-retention-age",
      description = "age up to which they are retained (default: the store's)")
  @Nullable Duration logRetentionAge;

  @Option(names = "--old-values", description = "store previous values in the log for change feeds")
  boolean oldValues;

  @Option(names = "--tls-cert", description = "certificate and its issuers, PEM; enables https")
  @Nullable Path tlsCert;

  @Option(names = "--tls-key", description = "private key of the certificate, PEM in PKCS#8")
  @Nullable Path tlsKey;

  @Option(names = "--tls-client-ca", description = "CAs of client certificates, PEM")
  @Nullable Path tlsClientCa;

  @Option(
      names = "--tls-clients",
      paramLabel = "KIND",
      description = "client certificates: ${COMPLETION-CANDIDATES}")
  TlsOptions.Clients tlsClients = TlsOptions.Clients.NONE;

  @Option(
      names = "--allowed-origins",
      split = ",",
      paramLabel = "ORIGIN",
      description = "other origins whose pages may make requests, such as https://app.example.com")
  List<String> allowedOrigins = List.of();

  @Option(
      names = "--allowed-hosts",
      split = ",",
      paramLabel = "NAME",
      description = "further host names that a server on a loopback address accepts")
  List<String> allowedHosts = List.of();

  @Option(
      names = "--reload-every",
      description = "interval of checks for new tokens and certificates")
  Duration reloadEvery = Duration.ofSeconds(2);

  @Option(names = "--rate-limit", description = "requests per second per token; 0: no limit")
  int rateLimit = LimitOptions.DEFAULT.requestsPerSecond();

  @Option(names = "--rate-burst", description = "requests that a token may make at once")
  int rateBurst = LimitOptions.DEFAULT.burst();

  @Option(
      names = "--max-auth-failures",
      description = "failed attempts per minute and address; 0: no limit")
  int maxAuthFailures = LimitOptions.DEFAULT.failuresPerMinute();

  @Option(
      names = "--backup-dir",
      paramLabel = "DIR",
      description = "directory below which requests may write backups (default: none)")
  @Nullable Path backupDir;

  @Option(names = "--heartbeat", description = "interval of heartbeats in event streams")
  Duration heartbeat = RoutesOptions.DEFAULT.heartbeat();

  @Option(
      names = "--max-subscriptions",
      description = "maximum number of subscriptions per WebSocket")
  int maxSubscriptions = StreamOptions.DEFAULT.maxSubscriptions();

  @Option(names = "--max-held", description = "maximum memory of the subscriptions of a WebSocket")
  long maxHeld = StreamOptions.DEFAULT.heldBytes();

  @Option(names = "--max-connections", description = "maximum number of connections")
  int maxConnections = CONNECTIONS.max();

  @Option(
      names = "--max-connections-per-address",
      description = "maximum number of connections per address")
  int maxConnectionsPerAddress = CONNECTIONS.maxPerAddress();

  @Option(
      names = "--max-streams",
      description = "maximum number of concurrent requests per HTTP/2 connection")
  int maxStreams = CONNECTIONS.maxStreams();

  @Option(names = "--max-uri", description = "maximum size of the URI of a request")
  long maxUri = CONNECTIONS.maxUriBytes();

  @Option(names = "--max-header", description = "maximum size of the headers of a request")
  long maxHeader = CONNECTIONS.maxHeaderBytes();

  @Option(names = "--max-body", description = "maximum size of a request body")
  long maxBody = RoutesOptions.DEFAULT.maxBodyBytes();

  @Option(
      names = "--max-bodies",
      description = "maximum total size of request bodies in memory (default: by the heap)",
      showDefaultValue = Visibility.NEVER)
  long maxBodies = RoutesOptions.DEFAULT.maxBodiesBytes();

  @Option(
      names = "--max-memory",
      description =
          "maximum total memory of bodies, parsed JSON, responses and WebSockets (default: by the"
              + " heap)",
      showDefaultValue = Visibility.NEVER)
  long maxMemory = RoutesOptions.DEFAULT.maxMemoryBytes();

  @Option(
      names = "--max-vector-memory",
      description =
          "maximum total memory of quantizedFlat and diskANN vector indexes (default: by the heap)",
      showDefaultValue = Visibility.NEVER)
  long maxVectorMemory = OperationsOptions.DEFAULT.maxVectorMemoryBytes();

  @Option(
      names = "--max-query-memory",
      description =
          "maximum total memory that running queries hold, half of it for one token (default: by"
              + " the heap)",
      showDefaultValue = Visibility.NEVER)
  long maxQueryMemory = OperationsOptions.DEFAULT.maxQueryMemoryBytes();

  @Option(
      names = "--header-timeout",
      description = "maximum time until the headers of a request are complete")
  Duration headerTimeout = CONNECTIONS.headerTimeout();

  @Option(names = "--body-timeout", description = "maximum time until a request body is complete")
  Duration bodyTimeout = CONNECTIONS.bodyTimeout();

  @Option(
      names = "--idle-timeout",
      description = "time after which a connection without requests is closed")
  Duration idleTimeout = CONNECTIONS.idleTimeout();

  @Option(
      names = "--silence-timeout",
      description = "time after which a connection that reads nothing is closed")
  Duration silenceTimeout = CONNECTIONS.silenceTimeout();

  @Option(
      names = "--drain-timeout",
      description = "maximum time to finish pending requests after SIGTERM")
  Duration drainTimeout = Duration.ofSeconds(10);

  @Option(
      names = "--drain-delay",
      description = "time for which /readyz answers 503 before requests are rejected")
  Duration drainDelay = Duration.ZERO;

  @Option(names = "--metrics", description = "serve /metrics for Prometheus (default: true)")
  boolean metrics = true;

  @Option(names = "--metrics-public", description = "allow /metrics without a token")
  boolean metricsPublic;

  @Option(
      names = "--access-log",
      description = "log every request (default: unless standard error is a terminal)")
  @Nullable Boolean accessLog;

  @Option(
      names = "--log-format",
      paramLabel = "FORMAT",
      description = "format of the log: ${COMPLETION-CANDIDATES}")
  LogSetup.Format logFormat = LogSetup.Format.TEXT;

  @Option(
      names = "--log-level",
      paramLabel = "LEVEL",
      description = "lowest logged level: ${COMPLETION-CANDIDATES}")
  LogSetup.Level logLevel = LogSetup.Level.INFO;
}
