package io.kvreactive.web;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Who may come in, and from where.
 *
 * @param tokens file of the tokens with scopes, which need not exist; null when there are none but
 *     {@link ServerOptions#token()}
 * @param allowedOrigins web pages of other origins that may ask, such as {@code
 *     https://app.example.com}; the server's own always may
 * @param allowedHosts names besides the loopback ones and {@link ServerOptions#host()} that a
 *     server without TLS on a loopback address answers to; without ports
 * @param reloadEvery how often the files of tokens and certificates are looked at for changes
 */
public record SecurityOptions(
    @Nullable Path tokens,
    Set<String> allowedOrigins,
    Set<String> allowedHosts,
    Duration reloadEvery) {
  /** No tokens with scopes, no other origins or hosts; a look at the files every two seconds. */
  public static final SecurityOptions DEFAULT =
      new SecurityOptions(null, Set.of(), Set.of(), Duration.ofSeconds(2));

  /**
   * @throws IllegalArgumentException when an origin is not {@code scheme://host} with an optional
   *     port, or {@code reloadEvery} is not positive
   */
  public SecurityOptions {
    allowedOrigins = Set.copyOf(allowedOrigins);
    allowedHosts = Set.copyOf(allowedHosts);
    for (String origin : allowedOrigins) {
      if (!origin.matches("https?://[^/\\s*?#@]+")) {
        throw new IllegalArgumentException(
            "origin: \"" + origin + "\" (expected: such as https://app.example.com)");
      }
    }
    if (reloadEvery.toMillis() < 1) {
      throw new IllegalArgumentException("reloadEvery: " + reloadEvery + " (expected: positive)");
    }
  }

  /** With tokens of a file. */
  public SecurityOptions withTokens(@Nullable Path file) {
    return new SecurityOptions(file, allowedOrigins, allowedHosts, reloadEvery);
  }

  /** With other origins. */
  public SecurityOptions withAllowedOrigins(Set<String> origins) {
    return new SecurityOptions(tokens, origins, allowedHosts, reloadEvery);
  }

  /** With other host names. */
  public SecurityOptions withAllowedHosts(Set<String> hosts) {
    return new SecurityOptions(tokens, allowedOrigins, hosts, reloadEvery);
  }

  /** Looking at the files more or less often. */
  public SecurityOptions withReloadEvery(Duration pause) {
    return new SecurityOptions(tokens, allowedOrigins, allowedHosts, pause);
  }
}
