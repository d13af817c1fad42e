package io.kvreactive.index.internal.collection;

import io.kvreactive.spi.KvEngine;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts what users ask of the collections of a store, so that background work can give way. */
public final class Traffic {
  private static final Map<KvEngine, Traffic> BY_ENGINE = new WeakHashMap<>();

  private final LongAdder operations = new LongAdder();

  private Traffic() {}

  /** That of a store, also when several handle its collections. */
  public static Traffic of(KvEngine engine) {
    synchronized (BY_ENGINE) {
      return BY_ENGINE.computeIfAbsent(engine, key -> new Traffic());
    }
  }

  /** Somebody asks for something. */
  public void operation() {
    operations.increment();
  }

  public long operations() {
    return operations.sum();
  }
}
