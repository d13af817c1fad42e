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
  private final KvEngine engine;
  private final List<KvKey> keys;
  private @Nullable Source source; // null until it is needed
  private @Nullable ReadResult state;
  private boolean asked;

  WatchSubscription(StreamSocket socket, ClientFrame.Watch watch, KvEngine engine) {
    super(socket, watch.id(), watch.credit());
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
    state = null;
    sent(1);
    Frames frames = socket.frames();
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
    return socket.send();
  }

  private void ask() {
    Source from = source;
    if (from == null) {
      from = new Source();
      source = from;
      engine.watch(keys.stream().map(KvKey::bytes).toList()).subscribe(from);
    } else {
      from.subscription.request(1);
    }
  }

  private void arrived(Source from, ReadResult result) {
    if (from != source || ended()) {
      return;
    }
    asked = false;
    if (socket.hasRoom()) {
      state = result;
    } else {
      release();
    }
    wantTurn();
  }

  @Override
  void release() {
    Source from = source;
    source = null;
    state = null;
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
      socket.run(() -> arrived(this, result));
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
