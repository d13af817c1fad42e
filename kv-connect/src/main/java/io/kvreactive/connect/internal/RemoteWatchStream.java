package io.kvreactive.connect.internal;

import io.kvreactive.Versionstamp;
import io.kvreactive.http.client.AttemptFailure;
import io.kvreactive.http.client.AttemptFailure.Kind;
import io.kvreactive.http.client.ClientEventLoop;
import io.kvreactive.http.client.HttpCall.Safety;
import io.kvreactive.http.client.HttpTransport;
import io.kvreactive.http.client.RetryingCall;
import io.kvreactive.spi.ReadResult;
import io.kvreactive.spi.SerialSubscription;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;

/**
 * One subscription to the state of some keys. Frames are read as they arrive, and the newest state
 * waits for demand, so a slow subscriber costs one state. If the response ends or fails, the watch
 * reconnects after increasing pauses. A state is then emitted only if its versionstamps differ from
 * those of the last one. Before the first state, the watch fails when the time of a call has
 * elapsed. Confined to the event loop.
 */
final class RemoteWatchStream extends SerialSubscription<ReadResult> {
  private final ClientEventLoop loop;
  private final HttpTransport transport;
  private final MetadataSession session;
  private final WatchConnection.Opener opener;
  private final RemoteOptions options;
  private final Consumer<RemoteWatchStream> removed;
  private final Disposable.Swap waiting = Disposables.swap();

  private @Nullable ReadResult newest;
  private @Nullable List<Optional<Versionstamp>> emitted;
  private @Nullable WatchConnection connection;
  private long answeredNanos; // time of the first state of the connection, or 0
  private RetryingCall attempts; // since the first state, or since the last stable connection
  private int endpoint;
  private boolean hasEmitted; // any state

  /**
   * @param opener opens a watch of the keys on a server
   * @param removed the callback for the end, called once
   */
  RemoteWatchStream(
      CoreSubscriber<? super ReadResult> actual,
      ClientEventLoop loop,
      HttpTransport transport,
      MetadataSession session,
      WatchConnection.Opener opener,
      RemoteOptions options,
      Consumer<RemoteWatchStream> removed) {
    super(actual, loop::executeIfOpen);
    this.loop = loop;
    this.transport = transport;
    this.session = session;
    this.opener = opener;
    this.options = options;
    this.removed = removed;
    this.attempts = attempts(options.budgetMillis());
  }

  private RetryingCall attempts(long budgetMillis) {
    return new RetryingCall(transport, Safety.REPEATABLE, options.backoff(), budgetMillis);
  }

  /** Opens the watch. Must be called on the event loop. */
  void connect() {
    connect(Mono.empty());
  }

  private void connect(Mono<Void> pause) {
    waiting.update(pause.then(session.current()).subscribe(this::open, this::failedToOpen));
  }

  private void failedToOpen(Throwable failure) {
    if (failure instanceof AttemptFailure known) {
      again(known);
    } else {
      fail(RemoteEngine.known(failure));
    }
  }

  private void open(DatabaseMetadata metadata) {
    if (isEnding()) {
      return;
    }
    answeredNanos = 0;
    connection = opener.open(metadata, endpoint, this::state, failure -> lost(metadata, failure));
  }

  private void state(ReadResult state) {
    if (!hasEmitted) {
      hasEmitted = true;
      attempts = attempts(Long.MAX_VALUE);
    }
    if (answeredNanos == 0) {
      answeredNanos = System.nanoTime();
      attempts.accepted();
    }
    newest = state;
    wake();
  }

  private void lost(DatabaseMetadata metadata, AttemptFailure failure) {
    connection = null;
    session.failed(metadata, failure);
    again(failure);
  }

  private void again(AttemptFailure failure) {
    if (isEnding()) {
      return;
    }
    if (failure.kind() != Kind.STALE) {
      endpoint++;
    }
    long longest = TimeUnit.MILLISECONDS.toNanos(options.backoff().longestMillis());
    if (answeredNanos != 0 && System.nanoTime() - answeredNanos > longest) {
      attempts = attempts(Long.MAX_VALUE); // the connection was stable
    }
    answeredNanos = 0;
    connect(attempts.next(failure));
  }

  @Override
  protected boolean yields() {
    return false;
  }

  @Override
  protected void step() {
    ReadResult state = newest;
    if (state == null || requested() == 0) {
      return;
    }
    newest = null;
    List<Optional<Versionstamp>> stamps = WatchedState.stamps(state);
    if (!stamps.equals(emitted)) {
      emitted = stamps;
      emit(state);
    }
  }

  @Override
  public void cancel() {
    loop.executeIfOpen(super::cancel);
  }

  @Override
  protected void release() {
    waiting.dispose();
    WatchConnection open = connection;
    if (open != null) {
      open.close();
    }
    removed.accept(this);
  }
}
