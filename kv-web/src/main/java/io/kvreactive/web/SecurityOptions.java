package io.kvreactive.web;

import io.kvreactive.KvException;
import io.kvreactive.internal.shared.ArgumentChecks;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import org.immutables.value.Value;
import org.jspecify.annotations.Nullable;

/**
 * Options for authentication and for the origins and hosts of requests.
 *
 * @param tokens the file of scoped tokens, which need not exist; null if {@link
 *     ServerOptions#token()} is the only token
 * @param allowedOrigins the other origins whose web pages may make requests, such as {@code
 *     https://app.example.com}; the server's own origin is always allowed
 * @param allowedHosts the host names, without ports, that a server without TLS on a loopback
 *     address accepts besides the loopback names and {@link ServerOptions#host()}
 * @param reloadEvery the interval at which the files of tokens and certificates are checked for
 *     changes
 */
@Value.Builder
public record SecurityOptions(
    @Nullable Path tokens,
    Set<String> allowedOrigins,
    Set<String> allowedHosts,
    Duration reloadEvery)
    implements WithSecurityOptions {
  /**
   * The default options: no scoped tokens, no other origins or hosts, and a check of the files
   * every two seconds.
   */
  public static final SecurityOptions DEFAULT =
      new SecurityOptions(null, Set.of(), Set.of(), Duration.ofSeconds(2));

  /**
   * @throws KvException INVALID_ARGUMENT if an origin is not {@code scheme://host} with an optional
   *     port, or {@code reloadEvery} is below 1 ms
   */
  public SecurityOptions {
    allowedOrigins = Set.copyOf(allowedOrigins);
    allowedHosts = Set.copyOf(allowedHosts);
    for (String origin : allowedOrigins) {
      ArgumentChecks.check(
          origin.matches("https?://[^/\\s*?#@]+"),
          "origin",
          '"' + origin + '"',
          "such as https://app.example.com");
    }
    ArgumentChecks.atLeast("reloadEvery", reloadEvery, Duration.ofMillis(1));
  }
}
