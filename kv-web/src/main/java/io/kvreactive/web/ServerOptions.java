package io.kvreactive.web;

import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Options of a server.
 *
 * @param directory the directory of the stores; null for stores in memory
 * @param host the address to listen on
 * @param port the port to listen on; 0 for any free port
 * @param token a token that allows everything, or null. Without it and without a token file, every
 *     request is authorized.
 * @param createDatabases true if {@code /db/NAME} creates a database that does not exist
 * @param drainTimeout the maximum time to finish pending requests when the server stops
 * @param routes the options of the routes
 * @param tls the options of TLS; null for plain HTTP
 * @param security the options for authentication, origins and hosts
 * @param limits the rate limits per caller
 * @param connections the limits of connections
 * @param operations the options for operating the server
 */
public record ServerOptions(
    @Nullable Path directory,
    String host,
    int port,
    @Nullable String token,
    boolean createDatabases,
    Duration drainTimeout,
    RoutesOptions routes,
    @Nullable TlsOptions tls,
    SecurityOptions security,
    LimitOptions limits,
    ConnectionOptions connections,
    OperationsOptions operations) {
  public static final String DEFAULT_HOST = "127.0.0.1";
  public static final int DEFAULT_PORT = 4512;

  /** The name of the token file in the directory of the stores. */
  public static final String TOKENS_FILE = "tokens.json";

  /** Returns options for stores in memory, without a token file. */
  public static ServerOptions inMemory() {
    return new ServerOptions(
        null,
        DEFAULT_HOST,
        DEFAULT_PORT,
        null,
        true,
        Duration.ofSeconds(10),
        RoutesOptions.DEFAULT,
        null,
        SecurityOptions.DEFAULT,
        LimitOptions.DEFAULT,
        ConnectionOptions.DEFAULT,
        OperationsOptions.DEFAULT);
  }

  /** Returns options for stores in a directory, with tokens in its {@link #TOKENS_FILE}. */
  public static ServerOptions at(Path directory) {
    ServerOptions options = inMemory();
    return options
        .withSecurity(options.security.withTokens(directory.resolve(TOKENS_FILE)))
        .with(copy -> copy.directory = directory);
  }

  /** Returns these options with another address. */
  public ServerOptions withAddress(String newHost, int newPort) {
    return with(
        copy -> {
          copy.host = newHost;
          copy.port = newPort;
        });
  }

  /** Returns these options with a token that allows everything. */
  public ServerOptions withToken(@Nullable String newToken) {
    return with(copy -> copy.token = newToken);
  }

  /** Returns these options with or without creation of databases on first use. */
  public ServerOptions withCreateDatabases(boolean create) {
    return with(copy -> copy.createDatabases = create);
  }

  /** Returns these options with another drain timeout. */
  public ServerOptions withDrainTimeout(Duration timeout) {
    return with(copy -> copy.drainTimeout = timeout);
  }

  /** Returns these options with other options of the routes. */
  public ServerOptions withRoutes(RoutesOptions newRoutes) {
    return with(copy -> copy.routes = newRoutes);
  }

  /** Returns these options with TLS, or for null with plain HTTP. */
  public ServerOptions withTls(@Nullable TlsOptions newTls) {
    return with(copy -> copy.tls = newTls);
  }

  /** Returns these options with other security options. */
  public ServerOptions withSecurity(SecurityOptions newSecurity) {
    return with(copy -> copy.security = newSecurity);
  }

  /** Returns these options with other rate limits. */
  public ServerOptions withLimits(LimitOptions newLimits) {
    return with(copy -> copy.limits = newLimits);
  }

  /** Returns these options with other limits of connections. */
  public ServerOptions withConnections(ConnectionOptions newConnections) {
    return with(copy -> copy.connections = newConnections);
  }

  /** Returns these options with other options for operating the server. */
  public ServerOptions withOperations(OperationsOptions newOperations) {
    return with(copy -> copy.operations = newOperations);
  }

  private ServerOptions with(Consumer<Copy> change) {
    Copy copy = new Copy(this);
    change.accept(copy);
    return copy.toOptions();
  }

  /** A mutable copy of the components, of which one is changed. */
  private static final class Copy {
    private @Nullable Path directory;
    private String host;
    private int port;
    private @Nullable String token;
    private boolean createDatabases;
    private Duration drainTimeout;
    private RoutesOptions routes;
    private @Nullable TlsOptions tls;
    private SecurityOptions security;
    private LimitOptions limits;
    private ConnectionOptions connections;
    private OperationsOptions operations;

    Copy(ServerOptions options) {
      directory = options.directory;
      host = options.host;
      port = options.port;
      token = options.token;
      createDatabases = options.createDatabases;
      drainTimeout = options.drainTimeout;
      routes = options.routes;
      tls = options.tls;
      security = options.security;
      limits = options.limits;
      connections = options.connections;
      operations = options.operations;
    }

    ServerOptions toOptions() {
      return new ServerOptions(
          directory,
          host,
          port,
          token,
          createDatabases,
          drainTimeout,
          routes,
          tls,
          security,
          limits,
          connections,
          operations);
    }
  }
}
