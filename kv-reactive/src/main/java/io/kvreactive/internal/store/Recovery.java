package io.kvreactive.internal.store;

import io.kvreactive.internal.store.image.SortedImage;
import io.kvreactive.internal.store.log.CommitRecord;
import io.kvreactive.internal.store.log.LogRecovery;
import io.kvreactive.internal.store.memtable.Memtable;
import io.kvreactive.internal.store.memtable.VersionedValue;
import io.kvreactive.spi.StoredChange;
import java.io.IOException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Collects the replayed log in two memtables; the older one is written to the image after the store
 * has been opened. If there is more, because the store was written with more memory, memtables are
 * written at once. So a store can be opened with little memory, even if a process with more memory
 * wrote it.
 */
final class Recovery implements LogRecovery.Visitor {
  private final SortedImage image;
  private final StoreOptions options;
  private @Nullable Memtable frozen;
  private long frozenVersion;
  private Memtable active = new Memtable();

  Recovery(SortedImage image, StoreOptions options) {
    this.image = image;
    this.options = options;
  }

  @Override
  public void commit(CommitRecord commit) throws IOException {
    long version = commit.version();
    for (StoredChange effect : commit.effects()) {
      if (effect.end() != null) {
        active.deleteRange(effect.key(), effect.end(), version, version);
      } else if (effect.kind() == StoredChange.Kind.TOUCH) {
        touch(effect, version);
      } else {
        active.put(effect.key(), VersionedValue.of(effect, version), version);
      }
    }
    if (active.bytes() >= options.memtableBytes()) {
      if (frozen != null) {
        new ImageWriter(image, options.dirtyBytes()).write(frozen, frozenVersion, commit.millis());
      }
      frozen = active;
      frozenVersion = version;
      active = new Memtable();
    }
  }

  /**
   * Applies a touch, whose value the log does not repeat. If the image is ahead of this position of
   * the log, as after a crash, the image already has the result of later effects.
   */
  private void touch(StoredChange touch, long version) {
    StoreView view = new StoreView(Long.MAX_VALUE, active, frozen, image, 0);
    VersionedValue before = view.get(touch.key());
    if (before != null && before.version() < version) {
      active.put(
          touch.key(), new VersionedValue(version, before.value(), touch.expireAt()), version);
    }
  }

  /**
   * Returns the recovered memtables.
   *
   * @param visible the last version in the log
   * @param clock the time of readers, in milliseconds since 1970
   * @param writeFrozen see {@link MemtableSet}
   */
  MemtableSet memtables(long visible, LongSupplier clock, Runnable writeFrozen) {
    return new MemtableSet(image, active, frozen, frozenVersion, visible, clock, writeFrozen);
  }
}
