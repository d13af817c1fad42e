package io.kvreactive.internal.store;

import io.kvreactive.KvValue;
import io.kvreactive.internal.store.image.SortedImage;
import io.kvreactive.internal.store.image.nodes.ImageRecord;
import io.kvreactive.internal.store.memtable.Memtable;
import io.kvreactive.internal.store.memtable.VersionedValue;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The state of a store at one version: two memtables in memory in front of the image. Any thread;
 * valid while the {@link StoreSnapshot} that gave it is held.
 *
 * @param version commits after it are not seen
 * @param active the memtable that commits go to
 * @param frozen the one before, which is being written to the image, or null if there is none
 * @param image everything older
 * @param now the time that is read at, milliseconds since 1970: what has expired by then is absent
 */
public record StoreView(
    long version, Memtable active, @Nullable Memtable frozen, SortedImage image, long now) {
  /** Returns the same state at another time; at 0 nothing has expired yet. */
  public StoreView at(long now) {
    return new StoreView(version, active, frozen, image, now);
  }

  /** Returns a key's value and version, or null if absent. */
  public @Nullable VersionedValue get(byte[] key) {
    VersionedValue state = inMemory(key);
    if (state != null) {
      return state.isPresent(now) ? state : null;
    }
    ImageRecord record = image.find(key);
    return record == null || VersionedValue.isExpired(record.expireAt(), now)
        ? null
        : new VersionedValue(record.version(), image.load(record), record.expireAt());
  }

  /** Returns a key's version; 0 when absent. */
  public long versionOf(byte[] key) {
    return versionOf(key, image::find);
  }

  /**
   * Returns the same.
   *
   * @param inImage asked for the image's record of a key that no memtable has
   */
  long versionOf(byte[] key, Function<byte[], @Nullable ImageRecord> inImage) {
    VersionedValue state = inMemory(key);
    if (state != null) {
      return state.isPresent(now) ? state.version() : 0;
    }
    ImageRecord record = inImage.apply(key);
    return record == null || VersionedValue.isExpired(record.expireAt(), now)
        ? 0
        : record.version();
  }

  /** When what is stored under a key expires, also when it has; 0 for never, and for nothing. */
  long expireAt(byte[] key) {
    VersionedValue state = inMemory(key);
    if (state != null) {
      return state.value() == null ? 0 : state.expireAt();
    }
    ImageRecord record = image.find(key);
    return record == null ? 0 : record.expireAt();
  }

  /**
   * Returns the entries from {@code start} (inclusive) to {@code end} (exclusive), in either
   * direction.
   */
  public ViewCursor range(byte[] start, byte[] end, boolean reverse) {
    return new ViewCursor(this, start, end, reverse, Long.MAX_VALUE);
  }

  /**
   * Returns the same, ascending, but for a bounded number of steps.
   *
   * @param maxSteps see {@link ViewCursor#steps}
   */
  public ViewCursor range(byte[] start, byte[] end, long maxSteps) {
    return new ViewCursor(this, start, end, false, maxSteps);
  }

  /**
   * What the memtables know of a key, also that it was deleted or has expired, or null if they know
   * nothing. Does not ask the image, so it never waits for a disk.
   */
  public @Nullable VersionedValue inMemory(byte[] key) {
    VersionedValue state = active.get(key, version);
    return state != null || frozen == null ? state : frozen.get(key, version);
  }

  /**
   * Returns a bound up to which nothing of the image is left from a key on, because ranges were
   * deleted.
   *
   * @param reverse true if the inclusive bound before the key is asked for; else the exclusive one
   *     behind it
   * @return null if the key lies in no deleted range
   */
  byte @Nullable [] deletedBound(byte[] key, boolean reverse) {
    byte[] bound = active.deletions().coverage(key, version, reverse);
    return bound != null || frozen == null
        ? bound
        : frozen.deletions().coverage(key, version, reverse);
  }

  /** Returns the value of an image record. */
  KvValue load(ImageRecord record) {
    return image.load(record);
  }
}
