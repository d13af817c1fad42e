package io.kvreactive.connect.internal;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvLimits;
import io.kvreactive.connect.ConnectProtocol;
import io.kvreactive.connect.WireEntries;
import io.kvreactive.connect.wire.Watch;
import io.kvreactive.http.client.AttemptFailure;
import io.kvreactive.http.client.AttemptFailure.Kind;
import io.kvreactive.http.client.ClientEventLoop;
import io.kvreactive.http.client.HttpCall;
import io.kvreactive.http.client.HttpCall.Limits;
import io.kvreactive.http.client.HttpTransport;
import io.kvreactive.spi.ReadResult;
import io.vertx.core.buffer.Buffer;
import java.net.URI;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;
import reactor.core.publisher.Sinks;

/** The watches of one client. */
final class RemoteWatches {
  private static final int KEY_OVERHEAD = 64;

  private final ClientEventLoop loop;
  private final HttpTransport transport;
  private final MetadataSession session;
  private final NewestVersion newest;
  private final RemoteOptions options;
  private final Set<RemoteWatchStream> streams = new HashSet<>(); // loop
  private final Sinks.Empty<Void> closing = Sinks.empty();
  private boolean closed; // loop

  RemoteWatches(
      ClientEventLoop loop,
      HttpTransport transport,
      MetadataSession session,
      NewestVersion newest,
      RemoteOptions options) {
    this.loop = loop;
    this.transport = transport;
    this.session = session;
    this.newest = newest;
    this.options = options;
  }

  /**
   * Emits the state of at least one key, now and after changes.
   *
   * @param withExpiry true to request times of expiry
   */
  Flux<ReadResult> watch(List<byte[]> keys, KvLimits limits, boolean withExpiry) {
    Buffer body = DataPathRequests.body(message(keys, withExpiry));
    int frameBytes = maxFrameBytes(keys.size(), limits);
    return new Flux<>() {
      @Override
      public void subscribe(CoreSubscriber<? super ReadResult> actual) {
        RemoteWatchStream stream =
            new RemoteWatchStream(
                actual,
                loop,
                transport,
                session,
                (metadata, endpoint, states, ended) ->
                    open(keys, body, frameBytes, metadata, endpoint, states, ended),
                options,
                streams::remove);
        try {
          loop.execute(() -> begin(stream));
        } catch (KvException e) {
          Operators.error(actual, e);
          return;
        }
        stream.subscribe();
      }
    };
  }

  private static Watch message(List<byte[]> keys, boolean withExpiry) {
    Watch.Builder watch = Watch.newBuilder().setWithExpiry(withExpiry);
    keys.forEach(key -> watch.addKeysBuilder().setKey(WireEntries.bytes(key)));
    return watch.build();
  }

  private int maxFrameBytes(int keys, KvLimits limits) {
    long honest =
        keys * ((long) KEY_OVERHEAD + limits.maxReadKeyBytes() + limits.maxValueBytes()) + 1024;
    long most = Math.min(ConnectProtocol.MAX_FRAME_BYTES, options.maxAnswerBytes());
    return (int) Math.min(honest, most);
  }

  private void begin(RemoteWatchStream stream) {
    if (closed) {
      stream.complete();
    } else {
      streams.add(stream);
      stream.connect();
    }
  }

  private WatchConnection open(
      List<byte[]> keys,
      Buffer body,
      int frameBytes,
      DatabaseMetadata metadata,
      int endpoint,
      Consumer<ReadResult> states,
      Consumer<AttemptFailure> ended) {
    URI uri = DataPathRequests.uri(metadata, endpoint, ConnectProtocol.WATCH);
    WatchedState state = new WatchedState(keys, newest.seen());
    Limits limits =
        new Limits(options.maxAnswerBytes(), options.headMillis(), 0, options.silenceMillis());
    HttpCall request = DataPathRequests.read(uri, metadata, body, limits);
    WatchConnection connection = new WatchConnection(request, frameBytes, state, states, ended);
    if (metadata.version() < ConnectProtocol.WATCH_VERSION) {
      connection.failed(
          AttemptFailure.of(
              Kind.FINAL,
              KvErrorCode.UNSUPPORTED,
              "watch: the server speaks version "
                  + metadata.version()
                  + " of KV Connect (expected: 3)"));
      return connection;
    }
    connection.of(transport.stream(request, connection));
    return connection;
  }

  /** Emits nothing, and completes with the other watches. */
  Flux<ReadResult> nothing() {
    return closing.asMono().cast(ReadResult.class).flux();
  }

  /** Completes all watches. Must be called on the event loop. */
  void close() {
    closed = true;
    closing.tryEmitEmpty();
    List.copyOf(streams).forEach(RemoteWatchStream::complete);
  }
}
