package io.kvreactive.web.internal.auth;

import io.kvreactive.KvException;
import org.jspecify.annotations.Nullable;

/** Tells what the bearer of a token may do. Never blocks: it is asked on event loops. */
@FunctionalInterface
public interface Authenticator {
  /** Lets everybody do everything: for routes that are guarded by the program around them. */
  Authenticator OPEN = token -> Grant.all("open");

  /**
   * The grant of a token.
   *
   * @param token what the caller sent; null when it sent none
   * @throws KvException UNAUTHENTICATED
   */
  Grant authenticate(@Nullable String token);
}
