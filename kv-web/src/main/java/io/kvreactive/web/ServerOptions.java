package io.kvreactive.web;

import io.kvreactive.spi.KvEngineOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Function;
import org.immutables.value.Value;
import org.jspecify.annotations.Nullable;

/**
 * Options of a server.
 *
 * @param directory the directory of the stores; null for stores in memory, or of another engine
 * @param engine the options of the engine of a database by its name, or null for embedded stores. A
 *     database other than the default one then exists if {@code KvEngineOptions.exists} says so
 * @param host the address to listen on
 * @param port the port to listen on; 0 for any free port
 * @param token a token that allows everything, or null. A server requires a token or a token file
 * @param createDatabases true if {@code /db/NAME} creates a database that does not exist
 * @param drainTimeout the maximum time to finish pending requests when the server stops
 * @param routes the options of the routes
 * @param tls the options of TLS; null for plain HTTP
 * @param security the options for authentication, origins and hosts
 * @param limits the rate limits per caller
 * @param connections the limits of connections
 * @param operations the options for operating the server
 */
@Value.Builder
public record ServerOptions(
    @Nullable Path directory,
    @Nullable Function<String, KvEngineOptions> engine,
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
    OperationsOptions operations)
    implements WithServerOptions {
  public static final String DEFAULT_HOST = "127.0.0.1";
  public static final int DEFAULT_PORT = 4512;

  /** The name of the token file in the directory of the stores. */
  public static final String TOKENS_FILE = "tokens.json";

  /** Returns options for stores in memory, without a token file: they need a token. */
  public static ServerOptions inMemory() {
    return new ServerOptionsBuilder()
        .host(DEFAULT_HOST)
        .port(DEFAULT_PORT)
        .createDatabases(true)
        .drainTimeout(Duration.ofSeconds(10))
        .routes(RoutesOptions.DEFAULT)
        .security(SecurityOptions.DEFAULT)
        .limits(LimitOptions.DEFAULT)
        .connections(ConnectionOptions.DEFAULT)
        .operations(OperationsOptions.DEFAULT)
        .build();
  }

  /** Returns options for stores in a directory, with tokens in its {@link #TOKENS_FILE}. */
  public static ServerOptions at(Path directory) {
    return inMemory()
        .withDirectory(directory)
        .withSecurity(SecurityOptions.DEFAULT.withTokens(directory.resolve(TOKENS_FILE)));
  }

  /** Returns these options with another address. */
  public ServerOptions withAddress(String newHost, int newPort) {
    return withHost(newHost).withPort(newPort);
  }
}
