package io.kvreactive.connect.internal;

import io.kvreactive.CommitResult;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvLimits;
import io.kvreactive.connect.wire.AtomicWrite;
import io.kvreactive.http.client.AttemptFailure;
import io.kvreactive.http.client.ClientEventLoop;
import io.kvreactive.http.client.ClientVerticle;
import io.kvreactive.http.client.HttpCall.Safety;
import io.kvreactive.http.client.HttpTransport;
import io.kvreactive.spi.ChangesRequest;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.CommittedChanges;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.ReadResult;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.net.URI;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** An engine whose store is on a server. */
final class RemoteEngine implements KvEngine, ClientVerticle.Client {
  /** Maximum number of HTTP/1 connections for watches: each watch occupies one. */
  private static final int HTTP1_WATCH_CONNECTIONS = 1024;

  private static final int HTTP2_WATCH_CONNECTIONS = 16;

  private final HttpTransport transport;
  private final HttpTransport streams;
  private final RetryingCaller attempts;
  private final NewestVersion newest = new NewestVersion();
  private final RemoteReads reads;
  private final RemoteCommits commits;
  private final RemoteWatches watches;
  private final LongAdder userOperations = new LongAdder();
  private final Mono<Void> release;
  private volatile Server server = Server.UNKNOWN;
  private volatile boolean closed;

  /** The known properties of the server. */
  private record Server(
      @Nullable UUID databaseId, boolean ours, boolean sendsExpiry, KvLimits limits) {
    static final Server UNKNOWN = foreign(null);

    private static Server foreign(@Nullable UUID databaseId) {
      return new Server(databaseId, false, false, KvLimits.DENO);
    }

    static Server of(DatabaseMetadata metadata) {
      KvLimits limits = metadata.limits();
      if (limits == null) {
        return foreign(metadata.databaseId());
      }
      KvLimits capped =
          limits.withMaxKeysPerGetMany(
              Math.min(RemoteReads.MAX_RANGES, limits.maxKeysPerGetMany()));
      return new Server(metadata.databaseId(), true, metadata.sendsExpiry(), capped);
    }
  }

  /**
   * @param release closes this engine and its event loop; completes when both are closed
   */
  RemoteEngine(
      Vertx vertx,
      ClientEventLoop loop,
      URI url,
      String token,
      RemoteOptions options,
      Mono<Void> release) {
    this.release = release;
    this.transport = new HttpTransport(vertx, options.connectMillis(), options.clearText(), null);
    this.streams =
        new HttpTransport(
            vertx,
            options.connectMillis(),
            options.clearText(),
            null,
            HTTP1_WATCH_CONNECTIONS,
            HTTP2_WATCH_CONNECTIONS);
    MetadataSession session =
        new MetadataSession(
            new MetadataExchange(transport, url, token, options),
            metadata -> server = Server.of(metadata));
    this.attempts = new RetryingCaller(loop, transport, session, options);
    this.reads = new RemoteReads(transport, attempts, newest, options);
    this.commits = new RemoteCommits(transport, attempts, newest);
    this.watches = new RemoteWatches(loop, streams, session, newest, options);
  }

  /** Performs the first metadata exchange. */
  Mono<KvEngine> open(RemoteOptions options) {
    return attempts
        .run(
            Safety.REPEATABLE,
            options.openMillis(),
            (metadata, endpoint, leftMillis) -> Mono.just(metadata))
        .onErrorMap(RemoteEngine::known)
        .thenReturn(this);
  }

  /** Reads ranges. The protocol has no maximum of bytes, so {@code maxBytes} is not observed. */
  @Override
  public Mono<ReadResult> read(List<ReadRange> ranges, @Nullable Snapshot snapshot, long maxBytes) {
    return call(
        () -> {
          server.limits().checkRead(ranges);
          if (ranges.isEmpty()) {
            return Mono.just(new ReadResult(newest.seen(), List.of()));
          }
          return snapshot == null ? readNewest(ranges) : at(snapshot).read(ranges);
        });
  }

  private Mono<ReadResult> readNewest(List<ReadRange> ranges) {
    return reads.read(ranges, server.limits());
  }

  private static OptimisticSnapshot at(Snapshot snapshot) {
    if (snapshot instanceof OptimisticSnapshot own) {
      return own;
    }
    throw new KvException(
        KvErrorCode.INVALID_ARGUMENT,
        "snapshot of another engine (expected: a snapshot of this engine)");
  }

  @Override
  public @Nullable UUID historyId() {
    return server.databaseId();
  }

  @Override
  public Mono<Long> count(byte[] start, byte[] end) {
    return call(
        () -> {
          server.limits().checkRead(List.of(new ReadRange(start, end, 1, false, true)));
          return unsupported("count", "list(range, options.withKeysOnly(true)).count()");
        });
  }

  @Override
  public Mono<Snapshot> snapshot() {
    return call(
        () -> Mono.just(new OptimisticSnapshot(ranges -> readNewest(ranges), newest.seen())));
  }

  @Override
  public Mono<CommitResult> commit(Commit commit) {
    return call(
        () -> {
          Server known = server;
          long now = now();
          AtomicWrite message = CommitRequests.message(commit, known.ours(), now);
          known.limits().checkCommit(commit, now);
          return commits.commit(commit, message);
        });
  }

  /** Returns false: the protocol has no reads at an earlier version. */
  @Override
  public boolean keepsVersions() {
    return false;
  }

  @Override
  public boolean followsChanges() {
    return false;
  }

  /** Returns true for servers of this project: entries of the protocol have no expiry. */
  @Override
  public boolean returnsExpiry() {
    return server.sendsExpiry();
  }

  /** Returns false: each request may use another connection and may be retried. */
  @Override
  public boolean commitsInOrder() {
    return false;
  }

  @Override
  public Flux<ReadResult> watch(List<byte[]> keys) {
    return Flux.defer(
            () -> {
              checkOpen();
              Server known = server;
              known.limits().checkWatch(keys);
              return keys.isEmpty()
                  ? Flux.concat(
                      Mono.just(new ReadResult(newest.seen(), List.of())), watches.nothing())
                  : watches.watch(keys, known.limits(), known.sendsExpiry());
            })
        .onErrorMap(RemoteEngine::known);
  }

  @Override
  public Flux<CommittedChanges> changes(ChangesRequest request) {
    return Flux.defer(() -> unsupported("changes", "watch(keys)").flux())
        .cast(CommittedChanges.class);
  }

  private static <T> Mono<T> unsupported(String what, String expected) {
    return Mono.error(
        new KvException(
            KvErrorCode.UNSUPPORTED,
            what + " of a remote store: not supported by KV Connect (expected: " + expected + ")"));
  }

  private <T> Mono<T> call(Supplier<Mono<T>> call) {
    return Mono.defer(
            () -> {
              checkOpen();
              return call.get();
            })
        .onErrorMap(RemoteEngine::known);
  }

  private void checkOpen() {
    if (closed) {
      throw HttpTransport.closed();
    }
  }

  /** Converts a failure to the exception for users. */
  static Throwable known(Throwable failure) {
    if (failure instanceof KvException) {
      return failure;
    }
    return failure instanceof AttemptFailure attempt
        ? attempt.shown()
        : new KvException(KvErrorCode.INTERNAL, "the KV Connect client: " + failure, failure);
  }

  @Override
  public LongAdder userOperations() {
    return userOperations;
  }

  @Override
  public KvLimits limits() {
    return server.limits();
  }

  @Override
  public Mono<Void> close() {
    return Mono.defer(
        () -> {
          closed = true;
          return release;
        });
  }

  @Override
  public Future<?> end() {
    closed = true;
    watches.close();
    return Future.join(transport.close(), streams.close()).otherwiseEmpty();
  }
}
