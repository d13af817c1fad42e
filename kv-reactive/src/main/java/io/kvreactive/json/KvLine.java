package io.kvreactive.json;

import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.shared.ArgumentChecks;
import org.jspecify.annotations.Nullable;

/**
 * An entry as one line of an export.
 *
 * @param key the key
 * @param value the value as it is stored
 * @param versionstamp the commit that wrote the entry, or null if unknown; for information only,
 *     since an import makes new commits
 * @param expireAt the time of expiry, in milliseconds since 1970; 0 for none
 */
public record KvLine(KvKey key, KvValue value, @Nullable Versionstamp versionstamp, long expireAt) {
  /**
   * Creates an entry.
   *
   * @throws KvException INVALID_ARGUMENT if {@code expireAt} is negative
   */
  public KvLine {
    ArgumentChecks.atLeast("expireAt", expireAt, 0);
  }

  /** Returns an entry that does not expire, without a versionstamp. */
  public static KvLine of(KvKey key, KvValue value) {
    return new KvLine(key, value, null, 0);
  }
}
