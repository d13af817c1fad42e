package io.kvreactive.server.command;

import io.kvreactive.KvException;
import io.kvreactive.http.client.ServerUrls;
import io.kvreactive.json.Utf8;
import io.kvreactive.server.ExitCode;
import io.kvreactive.server.Units;
import io.kvreactive.server.client.CliException;
import io.kvreactive.server.client.RestClient;
import io.kvreactive.server.client.Target;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.function.Consumer;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * The flags for the server and the access token. Flags take precedence over environment variables.
 */
final class ConnectionFlags {
  static final String DEFAULT_URL = "http://127.0.0.1:4512";

  @Option(
      names = "--url",
      paramLabel = "URL",
      description =
          "URL of the server, or of a database of it, .../db/NAME (KV_URL; default: "
              + DEFAULT_URL
              + ")")
  @Nullable String url;

  @Option(names = "--token", paramLabel = "TOKEN", description = "access token (KV_TOKEN)")
  @Nullable String token;

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      description = "file whose first line is the token (KV_TOKEN_FILE)")
  @Nullable Path tokenFile;

  @Option(
      names = "--ca",
      paramLabel = "FILE",
      description = "PEM file of trusted CAs, instead of those of Java (KV_CA)")
  @Nullable Path ca;

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      converter = Units.Time.class,
      description =
          "maximum time to connect, and until a response begins (KV_TIMEOUT; default: 30s)")
  @Nullable Duration timeout;

  /**
   * Creates a client of the server.
   *
   * @throws CliException USAGE
   */
  RestClient http() {
    String requested = or(url, "KV_URL", DEFAULT_URL);
    URI base;
    try {
      base = ServerUrls.database(requested, DEFAULT_URL);
    } catch (KvException e) {
      throw new CliException(ExitCode.USAGE, e.detail());
    }
    String file = System.getenv("KV_CA");
    Path trusted = ca == null && file != null && !file.isEmpty() ? Path.of(file) : ca;
    return new RestClient(base, secret(), time(), trusted == null ? null : trusting(trusted));
  }

  private Duration time() {
    try {
      Duration time =
          timeout == null ? new Units.Time().convert(or(null, "KV_TIMEOUT", "30s")) : timeout;
      if (time.isZero()) {
        throw new CliException(ExitCode.USAGE, "timeout 0 (expected: such as 500ms, 10s or 5m)");
      }
      return time;
    } catch (picocli.CommandLine.TypeConversionException e) {
      throw new CliException(ExitCode.USAGE, "KV_TIMEOUT: " + e.getMessage());
    }
  }

  /**
   * Opens the store of a directory if it is given, otherwise that of the server.
   *
   * @param create true to create a store that does not exist
   * @param lazy true if collections of the directory may use the indexing mode lazy
   * @param oldValues true if the store of the directory keeps and reads previous values
   * @param notices the consumer of messages about the connection
   */
  Target open(
      @Nullable Path directory,
      boolean create,
      boolean lazy,
      boolean oldValues,
      Consumer<String> notices) {
    if (directory == null && lazy) {
      throw new CliException(
          ExitCode.USAGE,
          "--allow-lazy without --path (expected: --path, or kv serve --allow-lazy)");
    }
    if (directory == null) {
      return Target.of(http(), notices);
    }
    if (url != null || token != null || tokenFile != null) {
      throw new CliException(
          ExitCode.USAGE, "--path with --url, --token or --token-file (expected: --path alone)");
    }
    return Target.open(directory, create, lazy, oldValues);
  }

  private static String or(@Nullable String flag, String variable, String fallback) {
    String set = System.getenv(variable);
    return flag != null ? flag : set != null && !set.isEmpty() ? set : fallback;
  }

  private @Nullable String secret() {
    if (token != null && tokenFile != null) {
      throw new CliException(ExitCode.USAGE, "--token and --token-file (expected: one of them)");
    }
    if (token != null) {
      return token;
    }
    String ofFlag = tokenFile == null ? "" : tokenFile.toString();
    String direct = or(null, "KV_TOKEN", "");
    String file = !ofFlag.isEmpty() || !direct.isEmpty() ? ofFlag : or(null, "KV_TOKEN_FILE", "");
    return !file.isEmpty() ? tokenIn(Path.of(file)) : direct.isEmpty() ? null : direct;
  }

  /** Returns the token in the first line of a file. */
  static String tokenIn(Path file) {
    try {
      String text = Utf8.decodeDocument(Files.readAllBytes(file));
      return text.lines().findFirst().orElse("").strip();
    } catch (KvException e) {
      throw new CliException(ExitCode.USAGE, file + ": the token cannot be read: " + e.detail());
    } catch (IOException e) {
      throw CliException.of("the token cannot be read", e);
    }
  }

  private static TrustManager trusting(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
      trusted.load(null, null);
      int number = 0;
      for (Certificate each : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
        trusted.setCertificateEntry("ca-" + number++, each);
      }
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(trusted);
      return trust.getTrustManagers()[0];
    } catch (IOException | GeneralSecurityException e) {
      throw new CliException(ExitCode.USAGE, file + ": no certificates can be read (" + e + ")");
    }
  }
}
