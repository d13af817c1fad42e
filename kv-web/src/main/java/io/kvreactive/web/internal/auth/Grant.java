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
 * What one caller may do.
 *
 * @param name of the token, for logs; never the token itself
 * @param access what may be done
 * @param prefixes of the keys that may be touched, each with all below it; empty for all keys
 * @param databases names of the databases that may be touched; empty for all
 * @param expiresAt when the token ends; null for never
 * @param revocation whether it has ended before
 * @param clock the clock by which it ends
 */
public record Grant(
    String name,
    Set<AccessRight> access,
    List<KvKey> prefixes,
    Set<String> databases,
    @Nullable Instant expiresAt,
    Revocation revocation,
    InstantSource clock) {
  /** Everything, without end. */
  public static Grant all(String name) {
    return new Grant(name, Set.of(AccessRight.values()), List.of(), Set.of(), null);
  }

  /** A grant that is not taken back. */
  public Grant(
      String name,
      Set<AccessRight> access,
      List<KvKey> prefixes,
      Set<String> databases,
      @Nullable Instant expiresAt) {
    this(name, access, prefixes, databases, expiresAt, Revocation.NEVER);
  }

  /** A grant that ends by the wall clock. */
  public Grant(
      String name,
      Set<AccessRight> access,
      List<KvKey> prefixes,
      Set<String> databases,
      @Nullable Instant expiresAt,
      Revocation revocation) {
    this(name, access, prefixes, databases, expiresAt, revocation, InstantSource.system());
  }

  /**
   * @throws IllegalArgumentException for ADMIN access below prefixes: backups and compactions are
   *     of whole databases
   */
  public Grant {
    if (access.contains(AccessRight.ADMIN) && !prefixes.isEmpty()) {
      throw new IllegalArgumentException("prefixes: " + prefixes + " (expected: none with ADMIN)");
    }
    access = Set.copyOf(access);
    prefixes = List.copyOf(prefixes);
    databases = Set.copyOf(databases);
  }

  /** Returns true if the token has ended by now, or was revoked. */
  public boolean expired() {
    return expiresAt == null ? revocation.revoked() : expired(clock.instant());
  }

  /** Whether the token has ended, or was taken back. */
  public boolean expired(Instant now) {
    return revocation.revoked() || (expiresAt != null && !now.isBefore(expiresAt));
  }

  /** Returns true if the token may read the keys that it reaches. */
  public boolean reads() {
    return access.contains(AccessRight.READ);
  }

  /**
   * Passes if the token has an access. Requests are authorized by {@link Operation} alone.
   *
   * @throws KvException FORBIDDEN, as of the others below
   */
  void require(AccessRight needed) {
    if (!access.contains(needed)) {
      throw new KvException(
          KvErrorCode.FORBIDDEN, "token " + name + " has no " + needed + " access");
    }
  }

  /** Passes if the token reaches what is below no key, such as queues and statistics. */
  void requireAllKeys() {
    if (!prefixes.isEmpty()) {
      throw new KvException(
          KvErrorCode.FORBIDDEN, "token " + name + " reaches only keys below its prefixes");
    }
  }

  void requireAllDatabases() {
    if (!databases.isEmpty()) {
      throw new KvException(
          KvErrorCode.FORBIDDEN, "token " + name + " does not reach all databases");
    }
  }

  /**
   * The end of a range as far as the token reaches from its start: no later than {@code end}. For
   * readers that ask for more than they want, and must not learn more than they may.
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

  /** Passes if one prefix of the token holds all keys from {@code start} to {@code end}. */
  void requireReach(byte[] start, byte[] end) {
    if (!allows(start, end)) {
      throw new KvException(
          KvErrorCode.FORBIDDEN, "token " + name + " does not reach all of these keys");
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
   * The end, exclusive, of a key and all below it: no tag of a part is as high as FF, and a string
   * that goes on after a zero has FF in this place, so it is outside.
   */
  private static byte[] endOf(byte[] prefix) {
    byte[] end = Arrays.copyOf(prefix, prefix.length + 1);
    end[prefix.length] = (byte) 0xFF;
    return end;
  }
}
