package io.kvreactive.web.internal.auth;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The rights of a token.
 *
 * @param access the rights, not empty
 * @param prefixes the prefixes of the permitted keys; empty for all keys; not with ADMIN or METRICS
 * @param databases the permitted databases; empty for all databases; not with METRICS
 * @param expiresAt the expiry; null for none
 */
public record TokenScope(
    Set<AccessRight> access,
    List<KvKey> prefixes,
    Set<String> databases,
    @Nullable Instant expiresAt) {
  private static final Pattern DATABASE = Pattern.compile("[a-z0-9][a-z0-9_-]{0,62}");
  private static final int MAX_ITEMS = 100;

  /**
   * Creates a scope.
   *
   * @throws KvException INVALID_ARGUMENT
   */
  public TokenScope {
    access = Set.copyOf(access);
    prefixes = List.copyOf(prefixes);
    databases = Set.copyOf(databases);
    if (access.isEmpty()) {
      throw invalid("access: [] (expected: READ, WRITE, ADMIN or METRICS)");
    }
    if (access.contains(AccessRight.METRICS) && !(prefixes.isEmpty() && databases.isEmpty())) {
      throw invalid(
          "prefixes or databases with METRICS access (expected: none, because metrics concern the"
              + " whole server)");
    }
    if (access.contains(AccessRight.ADMIN) && !prefixes.isEmpty()) {
      throw invalid(
          "prefixes with ADMIN access (expected: none, because ADMIN access concerns whole"
              + " databases)");
    }
    if (prefixes.size() > MAX_ITEMS || databases.size() > MAX_ITEMS) {
      throw invalid("prefixes or databases: too many (expected: at most " + MAX_ITEMS + ")");
    }
    if (prefixes.contains(KvKey.EMPTY)) {
      throw invalid("prefixes: [] (expected: at least one part, or no prefixes for all keys)");
    }
    for (String database : databases) {
      if (!DATABASE.matcher(database).matches()) {
        throw invalid("databases: \"" + database + "\" (expected: up to 63 of a-z, 0-9, _ and -)");
      }
    }
  }

  /** Returns the scope of everything, without expiry. */
  public static TokenScope all() {
    return new TokenScope(Set.of(AccessRight.values()), List.of(), Set.of(), null);
  }

  Grant grant(String name, InstantSource clock) {
    return new Grant(name, access, prefixes, databases, expiresAt, new Revocation(), clock);
  }

  TokenScope endingAt(Instant end) {
    return new TokenScope(access, prefixes, databases, end);
  }

  TokenScope until(Instant earlier) {
    boolean sooner = expiresAt == null || earlier.isBefore(expiresAt);
    return sooner ? endingAt(earlier) : this;
  }

  static KvException invalid(String message) {
    return new KvException(KvErrorCode.INVALID_ARGUMENT, message);
  }
}
