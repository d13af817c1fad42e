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

  // for the thread that changes it: pruning begins at the old end, or each change of a key would
  // walk all its versions while a snapshot is held
  private @Nullable VersionedValue newer;
  private @Nullable VersionedValue oldest; // of a newest version; null if that is the only one

  /**
   * @param version the commit that wrote it
   * @param value the value, or null if the commit deleted the key
   * @param expireAt from when on it counts as absent, milliseconds since 1970; 0 for never
   */
  public VersionedValue(long version, @Nullable KvValue value, long expireAt) {
    this.version = version;
    this.value = value;
    this.expireAt = expireAt;
  }

  /** Returns the commit that wrote it. */
  public long version() {
    return version;
  }

  /** Returns the value, or null if the commit deleted the key. */
  public @Nullable KvValue value() {
    return value;
  }

  /** From when on it counts as absent, milliseconds since 1970; 0 for never. */
  public long expireAt() {
    return expireAt;
  }

  /** Puts this version in front of the one that was the newest. */
  void setOlder(VersionedValue before) {
    older = before;
    before.newer = this;
    oldest = before.oldest == null ? before : before.oldest;
  }

  /** Makes this the newest version again. */
  void dropNewer() {
    newer = null;
  }

  int valueBytes() {
    return value == null ? 0 : value.bytes().length;
  }

  /**
   * Returns the newest of this and the older versions at or before one, or null if there is none.
   */
  @Nullable VersionedValue at(long latest) {
    VersionedValue state = this;
    while (state != null && state.version > latest) {
      state = state.older;
    }
    return state;
  }

  /**
   * Cuts off what no reader at {@code keepFrom} or later can see. Takes time for what is cut off
   * only.
   *
   * @param overhead heap of a version beside its value
   * @return the bytes set free
   */
  long prune(long keepFrom, int overhead) {
    long freed = 0;
    VersionedValue last = oldest;
    while (last != null && last != this) {
      VersionedValue next = last.newer;
      if (next == null || next.version > keepFrom) {
        break;
      }
      freed += overhead + last.valueBytes();
      next.older = null;
      last = next;
    }
    oldest = last == this ? null : last;
    return freed;
  }

  /** Returns true if there is a value at a time. */
  public boolean isPresent(long now) {
    return value != null && !isExpired(expireAt, now);
  }

  /** Returns true if a time of expiry has come. */
  public static boolean isExpired(long expireAt, long now) {
    return expireAt != 0 && expireAt <= now;
  }
}
