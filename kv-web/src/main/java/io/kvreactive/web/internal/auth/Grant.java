package io.kvreactive.web.internal.auth;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The rights of an authenticated caller.
 *
 * @param name the name of the token, for logs; never the token itself
 * @param access the rights
 * @param prefixes the prefixes of the permitted keys; empty for all keys
 * @param databases the names of the permitted databases; empty for all databases
 * @param expiresAt the expiry of the token; null for none
 * @param revocation the revocation of the token
 * @param clock the clock for the expiry
 */
public record Grant(
    String name,
    Set<AccessRight> access,
    List<KvKey> prefixes,
    Set<String> databases,
    @Nullable Instant expiresAt,
    Revocation revocation,
    InstantSource clock) {
  /** Returns a grant of everything, without expiry. */
  public static Grant all(String name) {
    return new Grant(name, Set.of(AccessRight.values()), List.of(), Set.of(), null);
  }

  /** Creates a grant that cannot be revoked and expires by the wall clock. */
  public Grant(
      String name,
      Set<AccessRight> access,
      List<KvKey> prefixes,
      Set<String> databases,
      @Nullable Instant expiresAt) {
    this(name, access, prefixes, databases, expiresAt, Revocation.NEVER, InstantSource.system());
  }

  /**
   * Creates a grant.
   *
   * @throws IllegalArgumentException for ADMIN access with prefixes: backups and compactions
   *     concern whole databases
   */
  public Grant {
    if (access.contains(AccessRight.ADMIN) && !prefixes.isEmpty()) {
      throw new IllegalArgumentException("prefixes: " + prefixes + " (expected: none with ADMIN)");
    }
    access = Set.copyOf(access);
    prefixes = List.copyOf(prefixes);
    databases = Set.copyOf(databases);
  }

  /** Returns true if the token has expired or was revoked. */
  public boolean expired() {
    return expiresAt == null ? revocation.revoked() : expired(clock.instant());
  }

  /** Returns true if the token has expired at {@code now} or was revoked. */
  public boolean expired(Instant now) {
    return revocation.revoked() || (expiresAt != null && !now.isBefore(expiresAt));
  }

  /** Returns true if the token may read its permitted keys. */
  public boolean reads() {
    return access.contains(AccessRight.READ);
  }

  /**
   * Checks that the token has a right. Only {@link Operation} authorizes requests by this method.
   *
   * @throws KvException FORBIDDEN
   */
  void require(AccessRight needed) {
    if (!access.contains(needed)) {
      throw new KvException(
          KvErrorCode.FORBIDDEN, "token " + name + " has no " + needed + " access");
    }
  }

  /**
   * Checks that the token permits all keys. Queues and statistics require this, because they have
   * no keys.
   *
   * @throws KvException FORBIDDEN
   */
  void requireAllKeys() {
    if (!prefixes.isEmpty()) {
      throw new KvException(
          KvErrorCode.FORBIDDEN, "token " + name + " permits only keys below its prefixes");
    }
  }

  void requireAllDatabases() {
    if (!databases.isEmpty()) {
      throw new KvException(
          KvErrorCode.FORBIDDEN, "token " + name + " does not permit all databases");
    }
  }

  /**
   * Returns the end of the permitted part of a range, at most {@code end}. Serves readers that read
   * ahead and must not see keys outside the token's prefixes.
   */
  public byte[] visibleEnd(byte[] start, byte[] end) {
    byte[] visible = end;
    boolean found = prefixes.isEmpty();
    for (KvKey prefix : prefixes) {
      byte[] first = prefix.bytes();
      byte[] last = endOf(first);
      if (Arrays.compareUnsigned(start, first) >= 0
          && Arrays.compareUnsigned(start, last) < 0
          && (!found || Arrays.compareUnsigned(last, visible) > 0)) {
        visible = last;
        found = true;
      }
    }
    return Arrays.compareUnsigned(visible, end) < 0 ? visible : end;
  }

  /**
   * Checks that one prefix of the token covers all keys from {@code start}, inclusive, to {@code
   * end}, exclusive.
   *
   * @throws KvException FORBIDDEN
   */
  void requireReach(byte[] start, byte[] end) {
    if (!allows(start, end)) {
      throw new KvException(
          KvErrorCode.FORBIDDEN, "token " + name + " does not permit all of these keys");
    }
  }

  private boolean allows(byte[] start, byte[] end) {
    if (prefixes.isEmpty() || Arrays.compareUnsigned(start, end) >= 0) {
      return true;
    }
    for (KvKey prefix : prefixes) {
      byte[] first = prefix.bytes();
      if (Arrays.compareUnsigned(start, first) >= 0
          && Arrays.compareUnsigned(end, endOf(first)) <= 0) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns the end, exclusive, of a key and all keys below it. No part begins with the tag FF. A
   * string that continues with a zero byte has FF at this position, so it is outside.
   */
  private static byte[] endOf(byte[] prefix) {
    byte[] end = Arrays.copyOf(prefix, prefix.length + 1);
    end[prefix.length] = (byte) 0xFF;
    return end;
  }
}
