package io.kvreactive.internal.api;

import io.kvreactive.KvEntry;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvType;
import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.value.ValueMapper;
import io.kvreactive.spi.ReadResult;
import io.kvreactive.spi.StoredEntry;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Converts the results of an engine's reads to entries. */
public final class EntryMapper {
  private EntryMapper() {}

  /** Returns the entry of a point read: the page of that index contains it, or is empty. */
  public static <T> KvEntry<T> at(
      ReadResult result, int index, KvKey key, ValueMapper values, KvType<T> type) {
    List<StoredEntry> found = result.pages().get(index).entries();
    return found.isEmpty()
        ? new KvEntry<>(key, null, null, null, result.snapshot())
        : of(found.get(0), key, result.snapshot(), values, type);
  }

  /** Returns one entry for each key of a read of points. */
  static <T> List<KvEntry<T>> all(
      ReadResult result, List<KvKey> keys, ValueMapper values, KvType<T> type) {
    List<KvEntry<T>> entries = new ArrayList<>(keys.size());
    for (int i = 0; i < keys.size(); i++) {
      entries.add(at(result, i, keys.get(i), values, type));
    }
    return entries;
  }

  public static <T> KvEntry<T> of(
      StoredEntry entry, KvKey key, Versionstamp snapshot, ValueMapper values, KvType<T> type) {
    KvValue value = entry.value();
    try {
      return new KvEntry<>(
          key,
          value == null ? null : decode(value, values, type),
          entry.versionstamp(),
          Expiry.instant(entry.expireAt()),
          snapshot);
    } catch (KvException e) {
      throw new KvException(e.code(), "value of " + key + ": " + e.detail(), e);
    }
  }

  @SuppressWarnings("unchecked") // decode returns a value of that type
  static <T> @Nullable T decode(KvValue value, ValueMapper values, KvType<T> type) {
    return (T) values.decode(value, type.type());
  }
}
