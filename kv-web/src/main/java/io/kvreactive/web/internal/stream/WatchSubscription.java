package io.kvreactive.web.internal.stream;

import io.kvreactive.KvKey;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadResult;
import java.util.List;
import reactor.core.publisher.Flux;

/**
 * A subscription to the newest state of keys. A state is requested within the credit. If the
 * connection accepts no output when the state arrives, the state is dropped and read again later.
 * Thus a slow client receives the newest state, and causes no work until then.
 */
final class WatchSubscription extends FluxSubscription<ReadResult> {
  /** Maximum size of a state in bytes, equal to that of a watch of KV Connect. */
  private static final int MAX_BYTES = 16 << 20;

  private final KvEngine engine;
  private final List<KvKey> keys;

  WatchSubscription(StreamSocket socket, ClientFrame.Watch watch, KvEngine engine) {
    super(socket, watch, false, 1);
    this.engine = engine;
    this.keys = watch.keys();
  }

  @Override
  Flux<ReadResult> elements() {
    return engine.watch(keys.stream().map(KvKey::bytes).toList(), MAX_BYTES);
  }

  @Override
  boolean canRestart() {
    return true;
  }

  @Override
  boolean onlyNewestCounts() {
    return true;
  }

  @Override
  int bytes(ReadResult state) {
    return (int) (1 + state.bytes()); // at least 1, so that its release wakes this subscription
  }

  @Override
  boolean isFree(ReadResult state) {
    return false;
  }

  @Override
  int mostAhead() {
    return 1;
  }

  @Override
  boolean mayRequest() {
    return true;
  }

  @Override
  boolean reads() {
    return awaits();
  }

  @Override
  int writeNext() {
    ReadResult state = remove();
    sent(1);
    FrameWriter frames = socket.frames();
    frames.beginState(id);
    List<RangePage> pages = state.pages();
    for (int i = 0; i < keys.size(); i++) {
      if (pages.get(i).entries().isEmpty()) {
        frames.absent(keys.get(i));
      } else {
        frames.entry(pages.get(i).entries().get(0));
      }
    }
    frames.endEntries(state.snapshot(), null);
    return send();
  }
}
