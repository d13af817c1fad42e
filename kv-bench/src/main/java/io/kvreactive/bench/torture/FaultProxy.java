package io.kvreactive.bench.torture;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * A TCP proxy in front of a server. While it is cut, no byte passes in either direction and no
 * connection ends, as when a cable is pulled. Thread-safe.
 */
final class FaultProxy implements AutoCloseable {
  private static final long SECONDS = 30;

  private final NetServer server;
  private final NetClient client;
  private final int target;
  private final Set<NetSocket> sockets = ConcurrentHashMap.newKeySet();
  private volatile boolean cut;

  FaultProxy(Vertx vertx, int target) {
    this.target = target;
    this.client = vertx.createNetClient();
    this.server = vertx.createNetServer().connectHandler(this::accept);
    get(server.listen(0, "127.0.0.1"));
  }

  private static <T> T get(Future<T> future) {
    return future
        .toCompletionStage()
        .toCompletableFuture()
        .orTimeout(SECONDS, TimeUnit.SECONDS)
        .join();
  }

  int port() {
    return server.actualPort();
  }

  private void accept(NetSocket near) {
    near.pause();
    add(near);
    if (cut) {
      return;
    }
    client
        .connect(target, "127.0.0.1")
        .onComplete(
            far -> {
              far.pause();
              add(far);
              pipe(near, far);
              pipe(far, near);
              if (!cut) {
                near.resume();
                far.resume();
              }
            },
            failure -> near.close());
  }

  private void add(NetSocket socket) {
    sockets.add(socket);
    socket.closeHandler(closed -> sockets.remove(socket));
  }

  private void pipe(NetSocket from, NetSocket to) {
    from.handler(
        bytes -> {
          if (!cut) {
            to.write(bytes);
          }
        });
    from.closeHandler(
        closed -> {
          sockets.remove(from);
          to.close();
        });
  }

  /** Stops all traffic. */
  void cut() {
    cut = true;
    sockets.forEach(NetSocket::pause);
  }

  /** Closes the cut connections, and forwards new ones. */
  void heal() {
    cut = false;
    sockets.forEach(NetSocket::close);
  }

  @Override
  public void close() {
    get(server.close());
    get(client.close());
  }
}
