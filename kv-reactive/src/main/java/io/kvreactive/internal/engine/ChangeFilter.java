package io.kvreactive.internal.engine;

import io.kvreactive.internal.store.SystemKeys;
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
  static boolean isChange(StoredChange effect) {
    return !SystemKeys.isSystem(effect.key())
        && (effect.kind() != StoredChange.Kind.DELETE || effect.oldVersion() != 0);
  }

  List<StoredChange> changes(List<StoredChange> effects) {
    List<StoredChange> changes = List.of();
    for (StoredChange effect : effects) {
      StoredChange change = isChange(effect) ? change(effect) : null;
      if (change != null) {
        changes = changes.isEmpty() ? new ArrayList<>() : changes;
        changes.add(change);
      }
    }
    return changes;
  }

  private @Nullable StoredChange change(StoredChange effect) {
    byte[] key = effect.key();
    byte[] to = effect.end();
    if (to != null) {
      byte[] from = Arrays.compareUnsigned(key, start) < 0 ? start : key;
      byte[] until = Arrays.compareUnsigned(to, end) > 0 ? end : to;
      return Arrays.compareUnsigned(from, until) >= 0
          ? null
          : StoredChange.deleteRange(from, until);
    }
    if (Arrays.compareUnsigned(key, start) < 0 || Arrays.compareUnsigned(key, end) >= 0) {
      return null;
    }
    boolean isSet = effect.kind() == StoredChange.Kind.SET;
    if ((isSet || effect.value() == null) && (oldValues || effect.oldValue() == null)) {
      return effect;
    }
    return new StoredChange(
        effect.kind(),
        key,
        null,
        isSet ? effect.value() : null,
        effect.expireAt(),
        effect.oldVersion(),
        oldValues ? effect.oldValue() : null);
  }
}
