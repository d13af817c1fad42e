package io.kvreactive.internal.store;

import io.kvreactive.internal.store.image.Image;
import io.kvreactive.internal.store.log.Effect;
import io.kvreactive.internal.store.log.LogRecovery;
import io.kvreactive.internal.store.memtable.Memtable;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Takes what the log replays into two generations, as they were: the older one is written to the
 * image after the store has been opened. Only when there is more, because the store was written
 * with more memory, is it written at once, so that a store opens in little memory whatever wrote
 * it.
 */
final class Recovery implements LogRecovery.Visitor {
  private final Image image;
  private final StoreOptions options;
  private @Nullable Memtable frozen;
  private long frozenVersion;
  private Memtable active = new Memtable();

  Recovery(Image image, StoreOptions options) {
    this.image = image;
    this.options = options;
  }

  @Override
  public void commit(long version, List<Effect> effects) throws IOException {
    for (Effect effect : effects) {
      if (effect.end() != null) {
        active.deleteRange(effect.key(), effect.end(), version);
      } else {
        active.put(effect.key(), version, effect.value(), version);
      }
    }
    if (active.bytes() >= options.generationBytes()) {
      if (frozen != null) {
        new ImageWriter(image, options.dirtyBytes()).write(frozen, frozenVersion);
      }
      frozen = active;
      frozenVersion = version;
      active = new Memtable();
    }
  }

  /**
   * What was recovered.
   *
   * @param visible the last version in the log
   * @param writeFrozen see {@link Generations}
   */
  Generations generations(long visible, Runnable writeFrozen) {
    return new Generations(image, active, frozen, frozenVersion, visible, writeFrozen);
  }
}
