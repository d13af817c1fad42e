package io.kvreactive.web.internal.auth;

import io.kvreactive.KvException;
import org.jspecify.annotations.Nullable;

/** Authenticates bearer tokens. Implementations must not block, because event loops call them. */
@FunctionalInterface
public interface Authenticator {
  /** Grants everything to every caller: for routes that the surrounding program protects. */
  Authenticator OPEN = token -> Grant.all("open");

  /**
   * Returns the grant of a token.
   *
   * @param token the token of the request; null if it has none
   * @throws KvException UNAUTHENTICATED
   */
  Grant authenticate(@Nullable String token);
}
