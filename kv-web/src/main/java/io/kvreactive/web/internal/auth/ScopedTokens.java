package io.kvreactive.web.internal.auth;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.internal.shared.SteadyClock;
import java.security.MessageDigest;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Authenticates scoped tokens, and the single token that allows everything. Scoped tokens can be
 * replaced at any time; grants whose tokens have lost rights are revoked. Thread-safe.
 */
public final class ScopedTokens implements Authenticator {
  private record Known(byte[] hash, Grant grant) {}

  private final @Nullable SingleToken single;
  private final InstantSource clock;
  private volatile Map<String, Known> known = Map.of();
  private final Map<Grant, Grant> retiring = new ConcurrentHashMap<>();

  /**
   * Creates an authenticator without scoped tokens.
   *
   * @param single the token that allows everything; null for none
   */
  public ScopedTokens(@Nullable String single) {
    this(single, SteadyClock.system("tokens"));
  }

  /** Creates an authenticator with another clock. */
  ScopedTokens(@Nullable String single, InstantSource clock) {
    this.clock = clock;
    this.single = single == null ? null : new SingleToken(single);
  }

  /** Returns the clock for the expiry of tokens. */
  InstantSource clock() {
    return clock;
  }

  /**
   * Returns the grant of a token, looked up by the token's hash. The duration depends on the hash
   * only, so a caller learns nothing about other tokens from it.
   *
   * @throws KvException UNAUTHENTICATED
   */
  @Override
  public Grant authenticate(@Nullable String token) {
    if (token == null) {
      throw new KvException(KvErrorCode.UNAUTHENTICATED, "no bearer token");
    }
    byte[] hash = TokenSecrets.hash(token);
    Known found = known.get(TokenSecrets.hex(hash));
    if (found != null && MessageDigest.isEqual(found.hash(), hash)) {
      if (found.grant().expired()) {
        throw new KvException(
            KvErrorCode.UNAUTHENTICATED, "token " + found.grant().name() + " has expired");
      }
      return found.grant();
    }
    if (single == null) {
      throw new KvException(KvErrorCode.UNAUTHENTICATED, "unknown bearer token");
    }
    return single.authenticate(token);
  }

  /**
   * Replaces all scoped tokens. An unchanged token keeps its grant; grants of removed or changed
   * tokens end.
   */
  public synchronized void replace(List<AccessToken> entries) {
    Map<String, Known> next = new HashMap<>();
    for (AccessToken entry : entries) {
      put(next, entry.hash(), entry.name(), entry.scope());
      AccessToken.Previous previous = entry.previous();
      if (previous != null) {
        put(next, previous.hash(), entry.name(), entry.scope().until(previous.until()));
      }
    }
    Collection<Known> before = known.values();
    known = Map.copyOf(next);
    before.forEach(this::end);
    endRetired();
  }

  private void put(Map<String, Known> next, String hex, String name, TokenScope scope) {
    Known before = known.get(hex);
    boolean same = before != null && describes(before.grant(), name, scope);
    Grant grant = same ? Objects.requireNonNull(before).grant() : scope.grant(name, clock);
    next.put(hex, new Known(HexFormat.of().parseHex(hex), grant));
  }

  private static boolean describes(Grant grant, String name, TokenScope scope) {
    return grant.name().equals(name)
        && scope.equals(
            new TokenScope(grant.access(), grant.prefixes(), grant.databases(), grant.expiresAt()));
  }

  /**
   * Ends a grant that no token has any more: immediately, or at the expiry of a token with the same
   * rights.
   */
  private void end(Known before) {
    Known now = known.get(TokenSecrets.hex(before.hash()));
    Grant old = before.grant();
    if (now != null && now.grant().equals(old)) {
      return;
    }
    if (now != null && hasSameRights(now.grant(), old)) {
      retiring.put(old, now.grant());
    } else {
      old.revocation().revoke();
    }
  }

  private static boolean hasSameRights(Grant now, Grant old) {
    return now.access().equals(old.access())
        && now.prefixes().equals(old.prefixes())
        && now.databases().equals(old.databases());
  }

  /**
   * Revokes the grants of replaced tokens at the expiry of their successors. Must be called
   * periodically.
   */
  public void endRetired() {
    Instant now = clock.instant();
    retiring.forEach(
        (old, successor) -> {
          if (successor.expired(now) && retiring.remove(old, successor)) {
            old.revocation().revoke();
          } else if (old.expired(now)) {
            retiring.remove(old, successor);
          }
        });
  }
}
