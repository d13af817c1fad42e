package io.kvreactive.internal.engine;

import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.store.SystemKeys;
import io.kvreactive.internal.store.log.AppliedMutation;
import io.kvreactive.spi.StoredChange;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Selects the effects of a commit that change a range, and clips them to the range. */
final class ChangeFilter {
  private final byte[] start;
  private final byte[] end;
  private final boolean oldValues;

  ChangeFilter(byte[] start, byte[] end, boolean oldValues) {
    this.start = start;
    this.end = end;
    this.oldValues = oldValues;
  }

  /** Returns true if an effect changes anything that is visible to users. */
  static boolean isChange(AppliedMutation effect) {
    return !SystemKeys.isSystem(effect.key())
        && (effect.kind() != AppliedMutation.Kind.DELETE || effect.oldVersion() != 0);
  }

  List<StoredChange> changes(List<AppliedMutation> effects) {
    List<StoredChange> changes = List.of();
    for (AppliedMutation effect : effects) {
      StoredChange change = isChange(effect) ? change(effect) : null;
      if (change != null) {
        changes = changes.isEmpty() ? new ArrayList<>() : changes;
        changes.add(change);
      }
    }
    return changes;
  }

  private @Nullable StoredChange change(AppliedMutation effect) {
    byte[] key = effect.key();
    byte[] to = effect.end();
    if (to != null) {
      byte[] from = Arrays.compareUnsigned(key, start) < 0 ? start : key;
      byte[] until = Arrays.compareUnsigned(to, end) > 0 ? end : to;
      return Arrays.compareUnsigned(from, until) >= 0
          ? null
          : new StoredChange(StoredChange.Kind.DELETE_RANGE, from, until, null, 0, null, null);
    }
    if (Arrays.compareUnsigned(key, start) < 0 || Arrays.compareUnsigned(key, end) >= 0) {
      return null;
    }
    KvValue value = effect.kind() == AppliedMutation.Kind.SET ? effect.value() : null;
    long old = effect.oldVersion();
    return new StoredChange(
        kind(effect.kind()),
        key,
        null,
        value,
        effect.expireAt(),
        old == 0 ? null : Versionstamp.of(old),
        oldValues ? effect.oldValue() : null);
  }

  private static StoredChange.Kind kind(AppliedMutation.Kind kind) {
    return switch (kind) {
      case SET -> StoredChange.Kind.SET;
      case DELETE -> StoredChange.Kind.DELETE;
      case DELETE_RANGE -> StoredChange.Kind.DELETE_RANGE;
      case TOUCH -> StoredChange.Kind.TOUCH;
      case EXPIRE -> StoredChange.Kind.EXPIRE;
    };
  }
}
