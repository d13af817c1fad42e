package io.kvreactive.internal.store;

import io.kvreactive.KvValue;
import io.kvreactive.internal.store.image.SortedImage;
import io.kvreactive.internal.store.image.nodes.ImageRecord;
import io.kvreactive.internal.store.memtable.Memtable;
import io.kvreactive.internal.store.memtable.VersionedValue;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The state of a store at one version: two memtables in front of the image. Thread-safe; valid
 * while its {@link StoreSnapshot} is held.
 *
 * @param version the version, after which commits are not seen
 * @param active the memtable that takes commits
 * @param frozen the memtable that is being written to the image, or null
 * @param image all older entries
 * @param now the time of reads in milliseconds since 1970: entries that have expired by then are
 *     absent
 */
public record StoreView(
    long version, Memtable active, @Nullable Memtable frozen, SortedImage image, long now) {
  /** Returns the same state at another time. At 0 no entry has expired. */
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

  /** Returns a key's version; 0 if absent. */
  public long versionOf(byte[] key) {
    return versionOf(key, image::find);
  }

  /**
   * Returns a key's version; 0 if absent.
   *
   * @param inImage looks up the image record of a key that no memtable has
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

  /**
   * Returns the expiry of the entry stored under a key, even if it has passed; 0 if there is none.
   */
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
   * Returns the entries of a range, ascending, for a bounded number of steps.
   *
   * @param maxSteps see {@link ViewCursor#steps}
   */
  public ViewCursor range(byte[] start, byte[] end, long maxSteps) {
    return new ViewCursor(this, start, end, false, maxSteps);
  }

  /**
   * Returns the state of a key in the memtables, which may be deleted or expired, or null if they
   * do not contain it. Does not read the image, so it never waits for a disk.
   */
  public @Nullable VersionedValue inMemory(byte[] key) {
    VersionedValue state = active.get(key, version);
    return state != null || frozen == null ? state : frozen.get(key, version);
  }

  /**
   * Returns the bound of the deleted range that contains a key, up to which nothing of the image is
   * visible.
   *
   * @param reverse true for the inclusive bound before the key; false for the exclusive one after
   *     it
   * @return the bound, or null if the key is in no deleted range
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
