package io.kvreactive.web;

import java.nio.file.Path;
import java.time.Duration;
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
    return new ServerOptions(
        directory,
        options.host,
        options.port,
        options.token,
        options.createDatabases,
        options.drainTimeout,
        options.routes,
        options.tls,
        options.security.withTokens(directory.resolve(TOKENS_FILE)),
        options.limits,
        options.connections,
        options.operations);
  }

  /** Listening elsewhere. */
  public ServerOptions withAddress(String newHost, int newPort) {
    return new ServerOptions(
        directory,
        newHost,
        newPort,
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

  /** With a token that allows everything. */
  public ServerOptions withToken(@Nullable String newToken) {
    return new ServerOptions(
        directory,
        host,
        port,
        newToken,
        createDatabases,
        drainTimeout,
        routes,
        tls,
        security,
        limits,
        connections,
        operations);
  }

  /** Whether databases are made that are asked for. */
  public ServerOptions withCreateDatabases(boolean create) {
    return new ServerOptions(
        directory,
        host,
        port,
        token,
        create,
        drainTimeout,
        routes,
        tls,
        security,
        limits,
        connections,
        operations);
  }

  /** With another time to stop in. */
  public ServerOptions withDrainTimeout(Duration timeout) {
    return new ServerOptions(
        directory,
        host,
        port,
        token,
        createDatabases,
        timeout,
        routes,
        tls,
        security,
        limits,
        connections,
        operations);
  }

  /** With routes that behave otherwise. */
  public ServerOptions withRoutes(RoutesOptions newRoutes) {
    return new ServerOptions(
        directory,
        host,
        port,
        token,
        createDatabases,
        drainTimeout,
        newRoutes,
        tls,
        security,
        limits,
        connections,
        operations);
  }

  /** Over TLS, or with null over plain HTTP. */
  public ServerOptions withTls(@Nullable TlsOptions newTls) {
    return new ServerOptions(
        directory,
        host,
        port,
        token,
        createDatabases,
        drainTimeout,
        routes,
        newTls,
        security,
        limits,
        connections,
        operations);
  }

  /** With others who may come in. */
  public ServerOptions withSecurity(SecurityOptions newSecurity) {
    return new ServerOptions(
        directory,
        host,
        port,
        token,
        createDatabases,
        drainTimeout,
        routes,
        tls,
        newSecurity,
        limits,
        connections,
        operations);
  }

  /** With other limits. */
  public ServerOptions withLimits(LimitOptions newLimits) {
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
        newLimits,
        connections,
        operations);
  }

  /** With other limits of connections. */
  public ServerOptions withConnections(ConnectionOptions newConnections) {
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
        newConnections,
        operations);
  }

  /** Operated otherwise. */
  public ServerOptions withOperations(OperationsOptions newOperations) {
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
        newOperations);
  }
}
