package io.kvreactive.web.internal.feed;

import io.kvreactive.KvChange;
import io.kvreactive.KvCommit;
import io.kvreactive.KvKey;
import io.kvreactive.KvValue;
import org.jspecify.annotations.Nullable;

/** Estimates the size of changes in memory and on the wire, including their old values. */
public final class ChangeSize {
  private static final int OBJECT = 100;

  private ChangeSize() {}

  /** Returns the estimated size of a commit in bytes. */
  public static int of(KvCommit<KvValue> commit) {
    int bytes = OBJECT;
    for (KvChange<KvValue> change : commit.changes()) {
      bytes += OBJECT + of(change);
    }
    return bytes;
  }

  private static int of(KvChange<KvValue> change) {
    if (change instanceof KvChange.Set<KvValue> set) {
      return of(set.key(), set.value(), set.oldValue());
    } else if (change instanceof KvChange.Delete<KvValue> delete) {
      return of(delete.key(), null, delete.oldValue());
    } else if (change instanceof KvChange.Expire<KvValue> expire) {
      return of(expire.key(), null, expire.oldValue());
    } else if (change instanceof KvChange.Touch<KvValue> touch) {
      return of(touch.key(), null, touch.oldValue());
    }
    return 0;
  }

  private static int of(KvKey key, @Nullable KvValue value, @Nullable KvValue old) {
    return key.bytes().length + of(value) + of(old);
  }

  private static int of(@Nullable KvValue value) {
    return value == null ? 0 : value.bytes().length;
  }
}
