package io.kvreactive.web.internal.auth;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import java.time.Instant;
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
 */
public record Grant(
    String name,
    Set<Access> access,
    List<KvKey> prefixes,
    Set<String> databases,
    @Nullable Instant expiresAt,
    Revocation revocation) {
  /** Everything, without end. */
  public static Grant all(String name) {
    return new Grant(name, Set.of(Access.values()), List.of(), Set.of(), null);
  }

  /** A grant that is not taken back. */
  public Grant(
      String name,
      Set<Access> access,
      List<KvKey> prefixes,
      Set<String> databases,
      @Nullable Instant expiresAt) {
    this(name, access, prefixes, databases, expiresAt, Revocation.NEVER);
  }

  /**
   * @throws IllegalArgumentException for ADMIN access below prefixes: backups and compactions are
   *     of whole databases
   */
  public Grant {
    if (access.contains(Access.ADMIN) && !prefixes.isEmpty()) {
      throw new IllegalArgumentException("prefixes: " + prefixes + " (expected: none with ADMIN)");
    }
    access = Set.copyOf(access);
    prefixes = List.copyOf(prefixes);
    databases = Set.copyOf(databases);
  }

  /** Whether the token has ended, or was taken back. */
  public boolean expired(Instant now) {
    return revocation.revoked() || (expiresAt != null && !now.isBefore(expiresAt));
  }

  /**
   * Passes when the token allows this.
   *
   * @throws KvException FORBIDDEN
   */
  public void require(Access needed) {
    if (!access.contains(needed)) {
      throw new KvException(
          KvErrorCode.FORBIDDEN, "token " + name + " has no " + needed + " access");
    }
  }

  /**
   * Like {@link #require(Access)}, on what is not below any key, such as queues and statistics: a
   * token with prefixes does not reach it.
   */
  public void requireWhole(Access needed) {
    require(needed);
    if (!prefixes.isEmpty()) {
      throw new KvException(
          KvErrorCode.FORBIDDEN, "token " + name + " reaches only keys below its prefixes");
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

  /** Like {@link #require(Access)}, on a key. */
  public void requireKey(Access needed, byte[] key) {
    requireRange(needed, key, Arrays.copyOf(key, key.length + 1));
  }

  /**
   * Like {@link #require(Access)}, on all keys from {@code start} to {@code end}: a token with
   * prefixes must have one that holds the whole range.
   */
  public void requireRange(Access needed, byte[] start, byte[] end) {
    require(needed);
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
