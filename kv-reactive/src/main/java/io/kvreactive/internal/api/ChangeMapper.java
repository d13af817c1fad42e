package io.kvreactive.internal.api;

import io.kvreactive.KvChange;
import io.kvreactive.KvCommit;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.KvType;
import io.kvreactive.KvValue;
import io.kvreactive.internal.shared.Weighted;
import io.kvreactive.internal.value.ValueMapper;
import io.kvreactive.spi.CommittedChanges;
import io.kvreactive.spi.StoredChange;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Converts the commits of an engine to those of the public API. */
final class ChangeMapper {
  /** Estimated bytes of a commit, or of a change, besides its data. */
  private static final int BYTES_OF_OBJECTS = 100;

  private ChangeMapper() {}

  static <T> KvCommit<T> commit(CommittedChanges commit, ValueMapper values, KvType<T> type) {
    List<KvChange<T>> changes = new ArrayList<>(commit.changes().size());
    for (StoredChange change : commit.changes()) {
      changes.add(change(change, values, type));
    }
    return new KvCommit<>(commit.versionstamp(), Instant.ofEpochMilli(commit.millis()), changes);
  }

  /** Returns the commit with the estimate of {@link #bytes(CommittedChanges)}. */
  static <T> Weighted<KvCommit<T>> weighed(
      CommittedChanges commit, ValueMapper values, KvType<T> type) {
    return new Weighted<>(commit(commit, values, type), bytes(commit));
  }

  /** Returns the estimated memory of a commit in bytes. */
  static long bytes(CommittedChanges commit) {
    long bytes = BYTES_OF_OBJECTS;
    for (StoredChange change : commit.changes()) {
      byte[] end = change.end();
      bytes += BYTES_OF_OBJECTS + change.key().length + (end == null ? 0 : end.length);
      bytes += bytes(change.value()) + bytes(change.oldValue());
    }
    return bytes;
  }

  private static long bytes(@Nullable KvValue value) {
    return value == null ? 0 : value.bytes().length;
  }

  private static <T> KvChange<T> change(StoredChange change, ValueMapper values, KvType<T> type) {
    byte[] end = change.end();
    if (end != null) {
      return new KvChange.DeleteRange<>(KvRange.ofEncoded(change.key(), end));
    }
    KvKey key = KvKey.fromEncoded(change.key());
    T old = value(key, "value before of ", change.oldValue(), values, type);
    return switch (change.kind()) {
      case SET ->
          new KvChange.Set<>(
              key,
              value(key, "value of ", change.value(), values, type),
              Expiry.instant(change.expireAt()),
              change.oldVersionstamp(),
              old);
      case TOUCH ->
          new KvChange.Touch<>(
              key, Expiry.instant(change.expireAt()), change.oldVersionstamp(), old);
      case EXPIRE -> new KvChange.Expire<>(key, change.oldVersionstamp(), old);
      case DELETE, DELETE_RANGE -> new KvChange.Delete<>(key, change.oldVersionstamp(), old);
    };
  }

  private static <T> @Nullable T value(
      KvKey key, String what, @Nullable KvValue value, ValueMapper values, KvType<T> type) {
    try {
      return value == null ? null : EntryMapper.decode(value, values, type);
    } catch (KvException e) {
      throw new KvException(e.code(), what + key + ": " + e.detail(), e);
    }
  }
}
