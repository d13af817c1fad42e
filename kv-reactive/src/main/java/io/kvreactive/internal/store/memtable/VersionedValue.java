package io.kvreactive.internal.store.memtable;

import io.kvreactive.KvValue;
import io.kvreactive.spi.StoredChange;
import org.jspecify.annotations.Nullable;

/**
 * The state of a key at a version, linked to its older versions in a {@link Memtable}. One thread
 * changes the links, any thread follows them.
 */
public final class VersionedValue {
  private final long version;
  private final @Nullable KvValue value;
  private final long expireAt;

  /**
   * Not volatile: set before the version becomes visible, and unlinked only where no reader goes.
   */
  private @Nullable VersionedValue older;

  // for the writer: pruning starts at the oldest version, or each change of a key would traverse
  // all its versions while a snapshot is held
  private @Nullable VersionedValue newer;
  private @Nullable VersionedValue oldest; // of a newest version; null if it is the only one

  /**
   * Creates a state.
   *
   * @param version the commit that wrote it
   * @param value the value, or null if the commit deleted the key
   * @param expireAt the time from which on the key is absent, in milliseconds since 1970; 0 for
   *     none
   */
  public VersionedValue(long version, @Nullable KvValue value, long expireAt) {
    this.version = version;
    this.value = value;
    this.expireAt = expireAt;
  }

  /** Returns the state of the key of a change from {@code version} on. */
  public static VersionedValue of(StoredChange change, long version) {
    return new VersionedValue(version, change.value(), change.expireAt());
  }

  /** Returns the version of the commit that wrote it. */
  public long version() {
    return version;
  }

  /** Returns the value, or null if the commit deleted the key. */
  public @Nullable KvValue value() {
    return value;
  }

  /** Returns the time from which on the key is absent, in milliseconds since 1970; 0 for none. */
  public long expireAt() {
    return expireAt;
  }

  /** Links this version in front of the previous newest one. */
  void setOlder(VersionedValue before) {
    older = before;
    before.newer = this;
    oldest = before.oldest == null ? before : before.oldest;
  }

  /** Makes this version the newest one again. */
  void dropNewer() {
    newer = null;
  }

  int valueBytes() {
    return value == null ? 0 : value.bytes().length;
  }

  /** Returns the newest of this and the older versions that is at or before a version, or null. */
  @Nullable VersionedValue at(long latest) {
    VersionedValue state = this;
    while (state != null && state.version > latest) {
      state = state.older;
    }
    return state;
  }

  /**
   * Unlinks the versions that no reader at {@code keepFrom} or later can see. Takes time
   * proportional to the unlinked versions.
   *
   * @param overhead the heap of a version besides its value
   * @return the released bytes
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

  /** Returns true if there is a value that has not expired at a time. */
  public boolean isPresent(long now) {
    return value != null && !isExpired(expireAt, now);
  }

  /** Returns true if an expiry has passed. */
  public static boolean isExpired(long expireAt, long now) {
    return expireAt != 0 && expireAt <= now;
  }
}
