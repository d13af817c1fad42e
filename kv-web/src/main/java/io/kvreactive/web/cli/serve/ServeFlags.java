package io.kvreactive.web.cli.serve;

import io.kvreactive.Durability;
import io.kvreactive.web.ConnectionOptions;
import io.kvreactive.web.LimitOptions;
import io.kvreactive.web.RoutesOptions;
import io.kvreactive.web.ServerOptions;
import io.kvreactive.web.StreamOptions;
import io.kvreactive.web.TlsOptions;
import io.kvreactive.web.cli.Units;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * The flags of {@code kv serve}. Each flag has an environment variable, {@code KV_} and its name,
 * and a property of the configuration file, its name; see {@link Settings}. The initial values are
 * the defaults.
 */
final class ServeFlags {
  /** The time at which a commit is durable. */
  enum Synced {
    /** Before the response. */
    SYNC,
    /** Soon after the response. */
    RELAXED;

    Durability durability() {
      return this == SYNC ? Durability.SYNC : Durability.RELAXED;
    }
  }

  private static final ConnectionOptions CONNECTIONS = ConnectionOptions.DEFAULT;
  private static final String BOOL = "0..1"; // --flag, --flag=false

  @Option(names = "--path", paramLabel = "DIR", description = "directory of the stores")
  Path path = Path.of("data", "kv");

  @Option(names = "--memory", arity = BOOL, fallbackValue = "true", description = "no files")
  boolean memory;

  @Option(names = "--host", description = "address to listen on")
  String host = ServerOptions.DEFAULT_HOST;

  @Option(names = "--port", description = "port to listen on; 0 for any that is free")
  int port = ServerOptions.DEFAULT_PORT;

  @Option(names = "--token", description = "access token that allows everything")
  @Nullable String token;

  @Option(names = "--token-file", paramLabel = "FILE", description = "its first line is that token")
  @Nullable Path tokenFile;

  @Option(
      names = "--tokens",
      paramLabel = "FILE",
      description = "tokens with scopes (default: tokens.json in the directory)")
  @Nullable Path tokens;

  @Option(names = "--config", paramLabel = "FILE", description = "YAML; names as of the flags")
  @Nullable Path config;

  @Option(
      names = "--print-config",
      arity = BOOL,
      fallbackValue = "true",
      description = "print what is in effect and where it is from, and exit")
  boolean printConfig;

  @Option(
      names = "--create-databases",
      arity = BOOL,
      fallbackValue = "true",
      description =
          "writing to /db/NAME, or opening it by KV Connect, makes the database, for tokens with "
              + "ADMIN access")
  boolean createDatabases = true;

  @Option(
      names = "--allow-lazy",
      arity = BOOL,
      fallbackValue = "true",
      description = "collections may have the indexing mode lazy: queries may lack new items")
  boolean allowLazy;

  @Option(
      names = "--durability",
      description = "${COMPLETION-CANDIDATES}: synced when answered, or soon")
  Synced durability = Synced.SYNC;

  @Option(
      names = "--log-retention",
      paramLabel = "SIZE",
      converter = Units.Size.class,
      description = "log kept for change feeds and restoring (default: the store's)")
  @Nullable Long logRetention;

  @Option(
      names = "--log-retention-age",
      paramLabel = "TIME",
      converter = Units.Time.class,
      description = "how long it is kept (default: the store's)")
  @Nullable Duration logRetentionAge;

  @Option(
      names = "--old-values",
      arity = BOOL,
      fallbackValue = "true",
      description = "keep values before changes for change feeds")
  boolean oldValues;

  @Option(names = "--tls-cert", paramLabel = "FILE", description = "PEM; serves https")
  @Nullable Path tlsCert;

  @Option(names = "--tls-key", paramLabel = "FILE", description = "PEM, PKCS#8")
  @Nullable Path tlsKey;

  @Option(names = "--tls-client-ca", paramLabel = "FILE", description = "PEM; CAs of clients")
  @Nullable Path tlsClientCa;

  @Option(names = "--tls-clients", description = "certificates: ${COMPLETION-CANDIDATES}")
  TlsOptions.Clients tlsClients = TlsOptions.Clients.NONE;

  @Option(
      names = "--allowed-origins",
      split = ",",
      paramLabel = "ORIGIN",
      description = "other web pages that may ask, such as https://app.example.com")
  List<String> allowedOrigins = List.of();

  @Option(
      names = "--allowed-hosts",
      split = ",",
      paramLabel = "NAME",
      description = "more names that a server on a loopback address answers to")
  List<String> allowedHosts = List.of();

  @Option(
      names = "--reload-every",
      paramLabel = "TIME",
      converter = Units.Time.class,
      description = "look for new tokens and certificates")
  Duration reloadEvery = Duration.ofSeconds(2);

  @Option(names = "--rate-limit", description = "requests per second of each token; 0: no limit")
  int rateLimit = LimitOptions.DEFAULT.requestsPerSecond();

  @Option(names = "--rate-burst", description = "requests of a token at once")
  int rateBurst = LimitOptions.DEFAULT.burst();

  @Option(names = "--max-auth-failures", description = "of an address in a minute; 0: no limit")
  int maxAuthFailures = LimitOptions.DEFAULT.failuresPerMinute();

  @Option(
      names = "--backup-dir",
      paramLabel = "DIR",
      description = "below it backups may be written on request (default: they may not)")
  @Nullable Path backupDir;

  @Option(
      names = "--heartbeat",
      paramLabel = "TIME",
      converter = Units.Time.class,
      description = "signs of life of streams of events")
  Duration heartbeat = RoutesOptions.DEFAULT.heartbeat();

  @Option(names = "--max-subscriptions", description = "of one WebSocket")
  int maxSubscriptions = StreamOptions.DEFAULT.maxSubscriptions();

  @Option(
      names = "--max-held",
      paramLabel = "SIZE",
      converter = Units.Size.class,
      description = "what the subscriptions of one WebSocket hold")
  long maxHeld = StreamOptions.DEFAULT.heldBytes();

  @Option(names = "--max-connections")
  int maxConnections = CONNECTIONS.max();

  @Option(names = "--max-connections-per-address")
  int maxConnectionsPerAddress = CONNECTIONS.maxPerAddress();

  @Option(names = "--max-streams", description = "requests of one HTTP/2 connection at a time")
  int maxStreams = CONNECTIONS.maxStreams();

  @Option(names = "--max-uri", paramLabel = "SIZE", converter = Units.Size.class)
  long maxUri = CONNECTIONS.maxUriBytes();

  @Option(names = "--max-header", paramLabel = "SIZE", converter = Units.Size.class)
  long maxHeader = CONNECTIONS.maxHeaderBytes();

  @Option(names = "--max-body", paramLabel = "SIZE", converter = Units.Size.class)
  long maxBody = RoutesOptions.DEFAULT.maxBodyBytes();

  @Option(
      names = "--max-bodies",
      paramLabel = "SIZE",
      converter = Units.Size.class,
      description = "bodies of all requests that are held at a time")
  long maxBodies = RoutesOptions.DEFAULT.maxBodiesBytes();

  @Option(
      names = "--max-memory",
      paramLabel = "SIZE",
      converter = Units.Size.class,
      description = "bodies, parsed JSON, answers and WebSockets that are held at a time")
  long maxMemory = RoutesOptions.DEFAULT.maxMemoryBytes();

  @Option(names = "--header-timeout", paramLabel = "TIME", converter = Units.Time.class)
  Duration headerTimeout = CONNECTIONS.headerTimeout();

  @Option(names = "--body-timeout", paramLabel = "TIME", converter = Units.Time.class)
  Duration bodyTimeout = CONNECTIONS.bodyTimeout();

  @Option(names = "--idle-timeout", paramLabel = "TIME", converter = Units.Time.class)
  Duration idleTimeout = CONNECTIONS.idleTimeout();

  @Option(names = "--silence-timeout", paramLabel = "TIME", converter = Units.Time.class)
  Duration silenceTimeout = CONNECTIONS.silenceTimeout();

  @Option(
      names = "--drain-timeout",
      paramLabel = "TIME",
      converter = Units.Time.class,
      description = "how long requests may take that are under way at SIGTERM")
  Duration drainTimeout = Duration.ofSeconds(10);

  @Option(
      names = "--drain-delay",
      paramLabel = "TIME",
      converter = Units.Time.class,
      description = "/readyz says 503 so long before requests are refused")
  Duration drainDelay = Duration.ZERO;

  @Option(
      names = "--metrics",
      arity = BOOL,
      fallbackValue = "true",
      description = "/metrics for Prometheus")
  boolean metrics = true;

  @Option(
      names = "--metrics-public",
      arity = BOOL,
      fallbackValue = "true",
      description = "/metrics needs no token")
  boolean metricsPublic;

  @Option(
      names = "--access-log",
      arity = BOOL,
      fallbackValue = "true",
      description = "log every request")
  boolean accessLog = true;

  @Option(names = "--log-format", description = "${COMPLETION-CANDIDATES}")
  LogSetup.Format logFormat = LogSetup.Format.TEXT;

  @Option(names = "--log-level", description = "${COMPLETION-CANDIDATES}")
  LogSetup.Level logLevel = LogSetup.Level.INFO;
}
