package io.kvreactive.web.internal.auth;

import java.time.Instant;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A stored access token, without its secret.
 *
 * @param name the unique name of the token, for people and logs
 * @param hash the hash of the secret, in hex
 * @param previous the secret before the last rotation while it is valid
 */
public record AccessToken(
    String name, String hash, TokenScope scope, Instant createdAt, @Nullable Previous previous) {
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");

  /** A secret that was replaced by a rotation. */
  public record Previous(String hash, Instant until) {
    public Previous {
      TokenSecrets.checkHash(hash);
    }
  }

  /**
   * @throws io.kvreactive.KvException INVALID_ARGUMENT
   */
  public AccessToken {
    if (!NAME.matcher(name).matches()) {
      throw TokenScope.invalid(
          "name: \"" + name + "\" (expected: up to 64 letters, digits, '.', '_' and '-')");
    }
    TokenSecrets.checkHash(hash);
  }

  AccessToken rotated(String newHash, Instant until) {
    return new AccessToken(name, newHash, scope, createdAt, new Previous(hash, until));
  }
}
