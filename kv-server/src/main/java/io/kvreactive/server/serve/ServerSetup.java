package io.kvreactive.server.serve;

import io.kvreactive.KvException;
import io.kvreactive.KvOptions;
import io.kvreactive.postgres.PostgresOptions;
import io.kvreactive.server.OwnerOnlyFile;
import io.kvreactive.server.Terminals;
import io.kvreactive.web.ConnectionOptions;
import io.kvreactive.web.LimitOptions;
import io.kvreactive.web.OperationsOptions;
import io.kvreactive.web.RoutesOptions;
import io.kvreactive.web.SecurityOptions;
import io.kvreactive.web.ServerOptions;
import io.kvreactive.web.StreamOptions;
import io.kvreactive.web.TlsOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The options of a server, derived from settings.
 *
 * @param options the options, without the meters
 * @param madeToken the token that was generated because none was configured, otherwise null
 * @param directory the directory of the stores, or null if they have none
 */
record ServerSetup(ServerOptions options, @Nullable String madeToken, @Nullable Path directory) {
  /** Name of the file of a generated token, in the directory of the stores. */
  static final String TOKEN_FILE = "token";

  private static final String DEFAULT_DATABASE = "default";
  private static final Duration LONGEST = Duration.ofDays(36_500); // of all settings
  private static final int TOKEN_BYTES = 24;
  private static final int MAX_PORT = 65_535;
  private static final long MAX_TOKEN_FILE = 1 << 16;
  private static final String BYTE_ORDER_MARK = "\uFEFF";

  /**
   * Validates the settings and returns the setup.
   *
   * @throws ConfigException if a setting is invalid
   */
  static ServerSetup of(Settings settings) {
    ServeFlags flags = settings.flags();
    if (flags.port < 0 || flags.port > MAX_PORT) {
      throw new ConfigException(
          settings.origin("port") + ": port " + flags.port + " (expected: 0 to 65535)");
    }
    try {
      checkEngine(settings);
      ServerOptions base = stores(flags);
      SecurityOptions security = security(flags, base.security());
      String token = token(flags);
      String created = null;
      if (token == null && needsToken(flags, security.tokens())) {
        created = makeToken();
      }
      ServerOptions options =
          base.withAddress(flags.host, flags.port)
              .withCreateDatabases(flags.createDatabases)
              .withDrainTimeout(flags.drainTimeout)
              .withRoutes(routes(flags))
              .withTls(tls(flags))
              .withSecurity(security)
              .withLimits(limits(flags))
              .withConnections(connections(flags))
              .withOperations(operations(flags));
      String used = created == null ? token : created;
      boolean hasFiles = flags.engine == ServeFlags.Engine.EMBEDDED && !flags.memory;
      return new ServerSetup(
          used == null ? options : options.withToken(used), created, hasFiles ? flags.path : null);
    } catch (KvException e) { // from the validation of the options
      throw new ConfigException(e.detail());
    }
  }

  /**
   * Returns the setup with the token that an earlier start generated, or keeps the generated token
   * for later starts: in a file of the directory that only its owner can read.
   *
   * @throws ConfigException if the file cannot be read or written
   */
  ServerSetup withKeptToken() {
    if (madeToken == null || directory == null) {
      return this;
    }
    Path file = directory.resolve(TOKEN_FILE);
    try {
      String kept = Files.exists(file) ? firstLine(file) : "";
      if (kept.matches("\\S+")) {
        return new ServerSetup(options.withToken(kept), kept, directory);
      }
      Files.createDirectories(directory);
      Files.deleteIfExists(file);
      OwnerOnlyFile.prepare(file);
      Files.writeString(file, madeToken + "\n");
      return this;
    } catch (IOException e) {
      throw new ConfigException(file + ": the token cannot be kept (" + e + ")");
    }
  }

  private static ServerOptions stores(ServeFlags flags) {
    if (flags.engine == ServeFlags.Engine.EMBEDDED) {
      return flags.memory ? ServerOptions.inMemory() : ServerOptions.at(flags.path);
    }
    if (flags.memory || flags.url == null) {
      throw new ConfigException("--engine postgres needs --url or KV_SERVER_URL, and no --memory");
    }
    PostgresOptions postgres = postgres(PostgresOptions.at(flags.url), flags);
    return ServerOptions.inMemory()
        .withEngine(
            database ->
                database.equals(DEFAULT_DATABASE) ? postgres : ofDatabase(postgres, database));
  }

  private static PostgresOptions postgres(PostgresOptions usual, ServeFlags flags) {
    Duration snapshotAge = flags.postgresSnapshotAge;
    Duration retention =
        flags.logRetentionAge == null ? usual.retentionAge() : flags.logRetentionAge;
    long bytes = flags.logRetention == null ? usual.retentionBytes() : flags.logRetention;
    // with a retention and a snapshot age that any request timeout agrees with, at first
    return usual
        .withRetention(LONGEST, bytes, LONGEST)
        .withTimeouts(flags.postgresConnectTimeout, flags.postgresRequestTimeout)
        .withReadConnections(flags.postgresConnections)
        .withIdleTimeout(flags.postgresIdleTimeout)
        .withRetention(retention, bytes, snapshotAge);
  }

  private static PostgresOptions ofDatabase(PostgresOptions postgres, String database) {
    try {
      return postgres.withSchema(postgres.schema() + "_" + database);
    } catch (KvException e) {
      throw new KvException(e.code(), "database \"%s\": %s".formatted(database, e.detail()));
    }
  }

  /** Rejects settings that the engine would ignore. */
  private static void checkEngine(Settings settings) {
    ServeFlags flags = settings.flags();
    if (flags.engine == ServeFlags.Engine.EMBEDDED) {
      settings.reject("postgres-", "--engine postgres");
    } else if (flags.durability == ServeFlags.Synced.RELAXED) {
      throw new ConfigException(
          settings.origin("durability")
              + ": RELAXED (expected: SYNC; synchronous_commit of PostgreSQL decides)");
    } else if (flags.backupDir != null) {
      throw new ConfigException(
          settings.origin("backup-dir")
              + ": "
              + flags.backupDir
              + " (expected: none; use the tools of PostgreSQL for backups)");
    }
  }

  private static int bytes(long size) {
    if (size > Integer.MAX_VALUE) {
      throw new ConfigException("size " + size + " (expected: less than 2 GiB)");
    }
    return (int) size;
  }

  private static RoutesOptions routes(ServeFlags flags) {
    RoutesOptions routes =
        RoutesOptions.DEFAULT
            .withMaxBodyBytes(bytes(flags.maxBody))
            .withHeartbeat(flags.heartbeat)
            .withMaxBodiesBytes(flags.maxBodies)
            .withMaxMemoryBytes(flags.maxMemory)
            .withStream(
                StreamOptions.DEFAULT
                    .withMaxSubscriptions(flags.maxSubscriptions)
                    .withHeldBytes(bytes(flags.maxHeld)));
    return flags.backupDir == null ? routes : routes.withBackupDirectory(flags.backupDir);
  }

  private static SecurityOptions security(ServeFlags flags, SecurityOptions base) {
    return (flags.tokens == null ? base : base.withTokens(flags.tokens))
        .withAllowedOrigins(Set.copyOf(flags.allowedOrigins))
        .withAllowedHosts(Set.copyOf(flags.allowedHosts))
        .withReloadEvery(flags.reloadEvery);
  }

  private static @Nullable TlsOptions tls(ServeFlags flags) {
    if (flags.tlsCert == null && flags.tlsKey == null) {
      return null;
    }
    if (flags.tlsCert == null || flags.tlsKey == null) {
      throw new ConfigException("TLS needs both --tls-cert and --tls-key");
    }
    TlsOptions tls = TlsOptions.of(flags.tlsCert, flags.tlsKey);
    return flags.tlsClientCa == null && flags.tlsClients == TlsOptions.Clients.NONE
        ? tls
        : new TlsOptions(flags.tlsCert, flags.tlsKey, flags.tlsClientCa, flags.tlsClients);
  }

  private static LimitOptions limits(ServeFlags flags) {
    int burst = flags.rateBurst == 0 ? flags.rateLimit : flags.rateBurst;
    return LimitOptions.DEFAULT
        .withRequests(flags.rateLimit, burst)
        .withFailuresPerMinute(flags.maxAuthFailures);
  }

  private static ConnectionOptions connections(ServeFlags flags) {
    return ConnectionOptions.DEFAULT
        .withMax(flags.maxConnections, flags.maxConnectionsPerAddress)
        .withMaxStreams(flags.maxStreams)
        .withHeadSizes(bytes(flags.maxUri), bytes(flags.maxHeader))
        .withTimeouts(flags.headerTimeout, flags.bodyTimeout)
        .withIdle(flags.idleTimeout, flags.silenceTimeout);
  }

  private static OperationsOptions operations(ServeFlags flags) {
    return OperationsOptions.DEFAULT
        .withAccessLog(
            flags.accessLog == null ? !Terminals.isTerminal(Terminals.ERR) : flags.accessLog)
        .withDrainDelay(flags.drainDelay)
        .withAllowLazy(flags.allowLazy)
        .withMaxVectorMemoryBytes(flags.maxVectorMemory)
        .withMaxQueryMemoryBytes(flags.maxQueryMemory)
        .withStores(store -> store(flags, store));
  }

  private static KvOptions store(ServeFlags flags, KvOptions store) {
    KvOptions options =
        store.withDurability(flags.durability.durability()).withOldValues(flags.oldValues);
    if (flags.logRetention == null && flags.logRetentionAge == null) {
      return options;
    }
    return options.withLogRetention(
        flags.logRetention == null ? options.logRetentionBytes() : flags.logRetention,
        flags.logRetentionAge == null ? options.logRetentionAge() : flags.logRetentionAge);
  }

  private static @Nullable String token(ServeFlags flags) {
    String token = flags.token;
    if (flags.tokenFile != null) {
      token = firstLine(flags.tokenFile);
    }
    if (token != null && !token.matches("\\S+")) {
      throw new ConfigException("token: empty or with blanks (expected: text without blanks)");
    }
    return token;
  }

  private static String firstLine(Path file) {
    try (Stream<String> lines = Files.lines(file)) {
      if (Files.isRegularFile(file) && Files.size(file) > MAX_TOKEN_FILE) {
        throw new ConfigException(file + ": larger than 64 KiB (expected: a token)");
      }
      String first = lines.findFirst().orElse("");
      return (first.startsWith(BYTE_ORDER_MARK) ? first.substring(1) : first).strip();
    } catch (IOException | java.io.UncheckedIOException e) {
      throw new ConfigException(file + ": the token cannot be read (" + e + ")");
    }
  }

  /** Returns the token in a file, or an empty string if there is none. */
  static String tokenIn(Path file) {
    try {
      return Files.exists(file) ? firstLine(file) : "";
    } catch (ConfigException e) {
      return "";
    }
  }

  private static boolean needsToken(ServeFlags flags, @Nullable Path tokens) {
    boolean loopback;
    try {
      loopback = InetAddress.getByName(flags.host).isLoopbackAddress();
    } catch (UnknownHostException e) {
      throw new ConfigException("host " + flags.host + " cannot be resolved");
    }
    boolean others = tokens != null && Files.exists(tokens);
    if (!loopback && !others) {
      throw new ConfigException(
          "a token is required to listen on "
              + flags.host
              + " (expected: --token-file or KV_SERVER_TOKEN; KV_TOKEN is for clients)");
    }
    return loopback;
  }

  /**
   * Generates a token. It does not begin with a dash, so that a command line does not take it for a
   * flag.
   */
  static String makeToken() {
    SecureRandom source = new SecureRandom();
    byte[] random = new byte[TOKEN_BYTES];
    String token;
    do {
      source.nextBytes(random);
      token = Base64.getUrlEncoder().withoutPadding().encodeToString(random);
    } while (token.startsWith("-"));
    return token;
  }
}
