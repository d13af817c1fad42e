package io.kvreactive.connect.internal;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.Versionstamp;
import io.kvreactive.http.client.AttemptFailure;
import io.kvreactive.http.client.AttemptFailure.Kind;
import io.kvreactive.http.client.ClientEventLoop;
import io.kvreactive.http.client.HttpTransport;
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
  private final long began = System.nanoTime();

  private @Nullable ReadResult newest;
  private @Nullable List<Optional<Versionstamp>> emitted;
  private @Nullable WatchConnection connection;
  private long connectedNanos;
  private int failed;
  private int endpoint;
  private boolean refreshed;
  private boolean told; // any state

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
  }

  /** Opens the watch. Must be called on the event loop. */
  void connect() {
    waiting.update(session.current().subscribe(this::open, this::failedToOpen));
  }

  private void failedToOpen(Throwable failure) {
    again(
        failure instanceof AttemptFailure known
            ? known
            : new AttemptFailure(
                Kind.FINAL, new KvException(KvErrorCode.INTERNAL, failure.toString(), failure), 0));
  }

  private void open(DatabaseMetadata metadata) {
    if (isEnding()) {
      return;
    }
    connectedNanos = System.nanoTime();
    connection = opener.open(metadata, endpoint, this::state, failure -> lost(metadata, failure));
  }

  private void state(ReadResult state) {
    told = true;
    refreshed = false;
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
    boolean stale = failure.kind() == Kind.STALE;
    if (failure.kind() == Kind.FINAL
        || failure.kind() == Kind.TOO_LARGE
        || stale && refreshed
        || !told && millisSince(began) >= options.budgetMillis()) {
      fail(failure.shown());
      return;
    }
    if (stale) {
      refreshed = true;
    } else {
      endpoint++;
    }
    if (connectedNanos != 0 && millisSince(connectedNanos) > options.backoff().longestMillis()) {
      failed = 0; // the connection was stable
    }
    connectedNanos = 0;
    waiting.update(
        transport
            .pause(options.backoff().pauseMillis(failed++, failure))
            .subscribe(ignored -> {}, this::pauseFailed, this::connect));
  }

  private void pauseFailed(Throwable closed) {
    complete();
  }

  private static long millisSince(long nanos) {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos);
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
