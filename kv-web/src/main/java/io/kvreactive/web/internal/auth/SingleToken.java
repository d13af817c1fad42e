package io.kvreactive.web.internal.auth;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.internal.shared.ArgumentChecks;
import java.security.MessageDigest;
import org.jspecify.annotations.Nullable;

/**
 * Authenticates one token that allows everything. Stores the hash of the token only, and compares
 * it in constant time.
 */
public final class SingleToken implements Authenticator {
  private static final Grant GRANT = Grant.all("access-token");
  private final byte[] hash;

  /**
   * Creates an authenticator.
   *
   * @throws KvException INVALID_ARGUMENT if the token is empty or has blanks
   */
  public SingleToken(String token) {
    ArgumentChecks.check(
        token.matches("\\S+"), "token", "empty or with blanks", "text without blanks");
    this.hash = TokenSecrets.hash(token);
  }

  @Override
  public Grant authenticate(@Nullable String token) {
    if (token == null || !MessageDigest.isEqual(hash, TokenSecrets.hash(token))) {
      throw new KvException(
          KvErrorCode.UNAUTHENTICATED, token == null ? "no bearer token" : "unknown bearer token");
    }
    return GRANT;
  }
}
