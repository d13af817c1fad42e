package io.kvreactive.web;

import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How a server is to run.
 *
 * @param directory of the stores; null for stores in memory
 * @param host address to listen on
 * @param port to listen on; 0 for any that is free
 * @param token that allows everything; null when there is none. With neither this nor a file of
 *     tokens everybody may do everything.
 * @param createDatabases whether {@code /db/NAME} makes a database that does not exist
 * @param drainTimeout how long requests that are being answered may take when the server stops
 * @param routes how the routes behave
 * @param tls null when the server speaks plain HTTP
 * @param security who may come in
 * @param limits how much one caller may ask
 * @param connections what a connection may cost
 * @param operations how it is operated
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

  /** The name of the file of tokens in the directory of the stores. */
  public static final String TOKENS_FILE = "tokens.json";

  /** Stores in memory, and no file of tokens. */
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

  /** Stores in a directory, and tokens in its {@link #TOKENS_FILE}. */
  public static ServerOptions at(Path directory) {
    ServerOptions options = inMemory();
    return options
        .withSecurity(options.security.withTokens(directory.resolve(TOKENS_FILE)))
        .with(copy -> copy.directory = directory);
  }

  /** Listening elsewhere. */
  public ServerOptions withAddress(String newHost, int newPort) {
    return with(
        copy -> {
          copy.host = newHost;
          copy.port = newPort;
        });
  }

  /** With a token that allows everything. */
  public ServerOptions withToken(@Nullable String newToken) {
    return with(copy -> copy.token = newToken);
  }

  /** Whether databases are made that are asked for. */
  public ServerOptions withCreateDatabases(boolean create) {
    return with(copy -> copy.createDatabases = create);
  }

  /** With another time to stop in. */
  public ServerOptions withDrainTimeout(Duration timeout) {
    return with(copy -> copy.drainTimeout = timeout);
  }

  /** With routes that behave otherwise. */
  public ServerOptions withRoutes(RoutesOptions newRoutes) {
    return with(copy -> copy.routes = newRoutes);
  }

  /** Over TLS, or with null over plain HTTP. */
  public ServerOptions withTls(@Nullable TlsOptions newTls) {
    return with(copy -> copy.tls = newTls);
  }

  /** With others who may come in. */
  public ServerOptions withSecurity(SecurityOptions newSecurity) {
    return with(copy -> copy.security = newSecurity);
  }

  /** With other limits. */
  public ServerOptions withLimits(LimitOptions newLimits) {
    return with(copy -> copy.limits = newLimits);
  }

  /** With other limits of connections. */
  public ServerOptions withConnections(ConnectionOptions newConnections) {
    return with(copy -> copy.connections = newConnections);
  }

  /** Operated otherwise. */
  public ServerOptions withOperations(OperationsOptions newOperations) {
    return with(copy -> copy.operations = newOperations);
  }

  private ServerOptions with(Consumer<Copy> change) {
    Copy copy = new Copy(this);
    change.accept(copy);
    return copy.toOptions();
  }

  /** The components by name while one of them changes. */
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
