package io.kvreactive.web.internal.stream;

import io.kvreactive.KvKey;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadResult;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;

/**
 * A subscription to the newest state of keys. A state is requested within the credit. If the
 * connection accepts no output when the state arrives, the state is dropped and read again later.
 * Thus a slow client receives the newest state, and causes no work until then.
 */
final class WatchSubscription extends Subscription {
  /** Maximum size of a state in bytes, equal to that of a watch of KV Connect. */
  private static final int MAX_BYTES = 16 << 20;

  private final KvEngine engine;
  private final List<KvKey> keys;
  private @Nullable Source source; // created with the first request
  private @Nullable ReadResult state;
  private long stateBytes;
  private boolean asked;

  WatchSubscription(StreamSocket socket, ClientFrame.Watch watch, KvEngine engine) {
    super(socket, watch);
    this.engine = engine;
    this.keys = watch.keys();
  }

  @Override
  int turn() {
    int bytes = state == null ? 0 : write(state);
    if (!ended() && !asked && credit() > 0) {
      asked = true;
      requestState();
    }
    return bytes;
  }

  private int write(ReadResult result) {
    sent(1);
    FrameWriter frames = socket.frames();
    frames.beginState(id);
    List<RangePage> pages = result.pages();
    for (int i = 0; i < keys.size(); i++) {
      if (pages.get(i).entries().isEmpty()) {
        frames.absent(keys.get(i));
      } else {
        frames.entry(pages.get(i).entries().get(0));
      }
    }
    frames.endEntries(result.snapshot(), null);
    drop();
    return send();
  }

  private void requestState() {
    Source from = source;
    if (from == null) {
      from = new Source();
      source = from;
      engine.watch(keys.stream().map(KvKey::bytes).toList(), MAX_BYTES).subscribe(from);
    } else {
      from.subscription.request(1);
    }
  }

  private void arrived(Source from, ReadResult result, long bytes) {
    if (from != source || ended()) {
      socket.held().give(bytes);
      return;
    }
    asked = false;
    if (socket.hasRoom()) {
      state = result;
      stateBytes = bytes;
    } else {
      release();
      socket.held().give(bytes);
    }
    wantTurn();
  }

  /** Records that there was no memory for a state. The keys are read again when there is memory. */
  private void rejected(Source from) {
    if (from == source && !ended()) {
      asked = false;
      release();
      socket.held().waitFor(this);
    }
  }

  private void drop() {
    long bytes = stateBytes;
    state = null;
    stateBytes = 0;
    socket.held().give(bytes);
  }

  @Override
  boolean reads() {
    return asked;
  }

  @Override
  void release() {
    Source from = source;
    source = null;
    drop();
    if (from != null) {
      from.subscription.cancel();
    }
  }

  /**
   * The subscriber of the watch. It passes signals of any thread to the connection's context.
   * Reactor's operators would take more memory.
   */
  private final class Source implements CoreSubscriber<ReadResult> {
    private volatile org.reactivestreams.Subscription subscription =
        Operators.cancelledSubscription();

    @Override
    public void onSubscribe(org.reactivestreams.Subscription given) {
      subscription = given;
      given.request(1);
    }

    @Override
    public void onNext(ReadResult result) {
      long bytes = 1 + result.bytes(); // at least 1, so that its release wakes this subscription
      if (socket.held().take(bytes)) {
        socket.run(() -> arrived(this, result, bytes));
      } else {
        socket.run(() -> rejected(this));
      }
    }

    @Override
    public void onError(Throwable failure) {
      socket.run(
          () -> {
            if (this == source) {
              fail(failure);
            }
          });
    }

    @Override
    public void onComplete() {
      socket.run(
          () -> {
            if (this == source) {
              socket.end(WatchSubscription.this, null);
            }
          });
    }
  }
}
