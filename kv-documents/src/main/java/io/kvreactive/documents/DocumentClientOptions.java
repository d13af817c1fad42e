package io.kvreactive.documents;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.internal.shared.ArgumentChecks;
import io.vertx.core.net.ClientSSLOptions;
import java.time.Duration;
import org.apiguardian.api.API;
import org.immutables.value.Value;
import org.jspecify.annotations.Nullable;

/**
 * Options of {@link DocumentStore#connect}. Immutable; start from {@link #DEFAULT} or {@link
 * #token(String)}.
 *
 * @param token the access token; null for a server without tokens
 * @param connectTimeout the maximum time to open a connection. {@link DocumentStore#connect} waits
 *     as long for its first answer, at least 5 s
 * @param requestTimeout the maximum time of one attempt of a request, until the answer is complete.
 *     Streams, loads, deletions and the progress of indexes have no such limit
 * @param retryTime the maximum time of a request with all of its attempts; zero for one attempt
 * @param tls the options of TLS for {@code https} addresses; null for the certificates that Java
 *     trusts
 */
@API(status = API.Status.EXPERIMENTAL)
@Value.Builder
public record DocumentClientOptions(
    @Nullable String token,
    Duration connectTimeout,
    Duration requestTimeout,
    Duration retryTime,
    @Nullable ClientSSLOptions tls)
    implements WithDocumentClientOptions {
  private static final int MAX_TOKEN_CHARS = 8 << 10;

  /** No token, 5 s to connect, 30 s for an attempt and for all attempts together. */
  public static final DocumentClientOptions DEFAULT =
      new DocumentClientOptionsBuilder()
          .connectTimeout(Duration.ofSeconds(5))
          .requestTimeout(Duration.ofSeconds(30))
          .retryTime(Duration.ofSeconds(30))
          .build();

  /**
   * Validates the options.
   *
   * @throws KvException INVALID_ARGUMENT if a value is out of its range
   */
  public DocumentClientOptions {
    Duration longest = Duration.ofDays(1);
    ArgumentChecks.between("connectTimeout", connectTimeout, Duration.ofMillis(1), longest);
    ArgumentChecks.between("requestTimeout", requestTimeout, Duration.ofMillis(1), longest);
    ArgumentChecks.between("retryTime", retryTime, Duration.ZERO, longest);
    if (token != null && !isToken(token)) {
      throw new KvException(
          KvErrorCode.INVALID_ARGUMENT,
          "token of %d characters (expected: 1 to %d visible ASCII characters)"
              .formatted(token.length(), MAX_TOKEN_CHARS));
    }
    tls = tls == null ? null : tls.copy();
  }

  private static boolean isToken(String token) {
    return !token.isEmpty()
        && token.length() <= MAX_TOKEN_CHARS
        && token.chars().allMatch(c -> c > ' ' && c < 0x7F);
  }

  /** Returns the default options with an access token. */
  public static DocumentClientOptions token(String token) {
    return DEFAULT.withToken(token);
  }

  /** Returns the options without the token. */
  @Override
  public String toString() {
    return "DocumentClientOptions[connectTimeout=%s, requestTimeout=%s, retryTime=%s]"
        .formatted(connectTimeout, requestTimeout, retryTime);
  }
}
