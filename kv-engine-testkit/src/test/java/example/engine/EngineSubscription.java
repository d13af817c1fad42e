package example.engine;

import io.kvreactive.spi.SerialSubscription;
import reactor.core.CoreSubscriber;

/** A watch or feed, which every commit wakes. Runs on the thread of its engine. */
abstract class EngineSubscription<T> extends SerialSubscription<T> {
  final SortedMapEngine engine;

  EngineSubscription(CoreSubscriber<? super T> subscriber, SortedMapEngine engine) {
    super(subscriber, engine.thread());
    this.engine = engine;
  }

  final void touched() {
    wake();
  }

  @Override
  protected void release() {
    engine.remove(this);
  }
}
