package io.kvreactive.internal.store;

import io.kvreactive.internal.store.image.Image;
import io.kvreactive.internal.store.log.Effect;
import io.kvreactive.internal.store.log.LogRecovery;
import io.kvreactive.internal.store.memtable.Memtable;
import java.io.IOException;
import java.util.List;

/**
 * Takes what the log replays into a generation; writes it to the image when it grows large, so that
 * a store opens in little memory whatever it was written with.
 */
final class Recovery implements LogRecovery.Visitor {
  private final Image image;
  private final StoreOptions options;
  private Memtable generation = new Memtable();

  Recovery(Image image, StoreOptions options) {
    this.image = image;
    this.options = options;
  }

  @Override
  public void commit(long version, List<Effect> effects) throws IOException {
    for (Effect effect : effects) {
      if (effect.end() != null) {
        generation.deleteRange(effect.key(), effect.end(), version);
      } else {
        generation.put(effect.key(), version, effect.value(), version);
      }
    }
    if (generation.bytes() >= options.generationBytes()) {
      new ImageWriter(image, options.dirtyBytes()).write(generation, version);
      generation = new Memtable();
    }
  }

  Memtable generation() {
    return generation;
  }
}
