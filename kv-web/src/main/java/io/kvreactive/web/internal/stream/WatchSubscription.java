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
 * The state of some keys. A state is asked for when it can be sent. One that comes when the
 * connection takes nothing any more is dropped, and read anew when it does: so a slow client gets
 * the newest, and costs nothing meanwhile.
 */
final class WatchSubscription extends Subscription {
  /** Of a state: as much as a watch of KV Connect may have. */
  private static final int MAX_BYTES = 16 << 20;

  private final KvEngine engine;
  private final List<KvKey> keys;
  private @Nullable Source source; // null until it is needed
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
      ask();
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
    return socket.send();
  }

  private void ask() {
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

  /** There was no room for a state: it is read anew when there is. */
  private void refused(Source from) {
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

  /** Brings signals of any thread to the connection's context. Not Reactor's operators: small. */
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
      long bytes = 1 + result.bytes(); // never nothing: who holds something gives it back
      if (socket.held().take(bytes)) {
        socket.run(() -> arrived(this, result, bytes));
      } else {
        socket.run(() -> refused(this));
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
