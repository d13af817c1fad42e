package io.kvreactive.internal.store.memtable;

import io.kvreactive.KvValue;
import org.jspecify.annotations.Nullable;

/**
 * What a key came to at a version, and in a {@link Memtable} what it was before. One thread changes
 * what was before, any thread walks it.
 */
public final class VersionedValue {
  private final long version;
  private final @Nullable KvValue value;
  private final long expireAt;

  /** Not volatile: set before the version can be seen, and cut off where no reader goes. */
  private @Nullable VersionedValue older;

  /**
   * @param version the commit that wrote it
   * @param value the value, or null when the commit deleted the key
   * @param expireAt from when on it counts as absent, milliseconds since 1970; 0 for never
   */
  public VersionedValue(long version, @Nullable KvValue value, long expireAt) {
    this.version = version;
    this.value = value;
    this.expireAt = expireAt;
  }

  /** The commit that wrote it. */
  public long version() {
    return version;
  }

  /** The value, or null when the commit deleted the key. */
  public @Nullable KvValue value() {
    return value;
  }

  /** From when on it counts as absent, milliseconds since 1970; 0 for never. */
  public long expireAt() {
    return expireAt;
  }

  void setOlder(@Nullable VersionedValue version) {
    older = version;
  }

  int valueBytes() {
    return value == null ? 0 : value.bytes().length;
  }

  /** The newest of this and the older versions at or before one; null when there is none. */
  @Nullable VersionedValue at(long latest) {
    VersionedValue state = this;
    while (state != null && state.version > latest) {
      state = state.older;
    }
    return state;
  }

  /**
   * Cuts off what no reader at {@code keepFrom} or later can see.
   *
   * @param overhead heap of a version beside its value
   * @return the bytes set free
   */
  long prune(long keepFrom, int overhead) {
    VersionedValue visible = at(keepFrom);
    if (visible == null) {
      return 0;
    }
    long freed = 0;
    for (VersionedValue gone = visible.older; gone != null; gone = gone.older) {
      freed += overhead + gone.valueBytes();
    }
    visible.older = null;
    return freed;
  }

  /** Whether there is a value at a time. */
  public boolean isPresent(long now) {
    return value != null && !isExpired(expireAt, now);
  }

  /** Whether a time of expiry has come. */
  public static boolean isExpired(long expireAt, long now) {
    return expireAt != 0 && expireAt <= now;
  }
}
