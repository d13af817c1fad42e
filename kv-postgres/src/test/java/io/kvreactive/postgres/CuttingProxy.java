package io.kvreactive.postgres;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A TCP proxy that cuts connections to a server before, during or after a COMMIT or another
 * request, or drops their bytes without closing them.
 */
final class CuttingProxy implements AutoCloseable {
  /** The moment at which the connection is cut. */
  enum Cut {
    /** The server does not get the COMMIT. */
    BEFORE,
    /** The server gets the COMMIT, and the connection is closed at once. */
    DURING,
    /** The server has committed, and its answer is dropped. */
    AFTER
  }

  /** The message Query of the protocol, and the message CommandComplete. */
  private static final String QUERY = "Q\0\0\0\13COMMIT\0";

  private static final String COMPLETE = "C\0\0\0\13COMMIT\0";

  private final NetServer server;
  private final NetClient client;
  private final AtomicInteger cuts = new AtomicInteger();
  private final AtomicInteger losses = new AtomicInteger();
  private volatile Cut next;
  private volatile Marked marked;

  private record Marked(Cut where, String marker) {}

  CuttingProxy(Vertx vertx, int port) {
    client = vertx.createNetClient();
    server = vertx.createNetServer().connectHandler(socket -> accept(socket, port));
    get(server.listen(0, "localhost"));
  }

  private static <T> T get(Future<T> future) {
    return future.toCompletionStage().toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
  }

  int port() {
    return server.actualPort();
  }

  /** Cuts the connection of the next request, not a COMMIT, that contains some bytes. */
  void cutNext(Cut where, byte[] marker) {
    marked = new Marked(where, new String(marker, StandardCharsets.ISO_8859_1));
  }

  /** Cuts the connection of the next COMMIT. */
  void cutNext(Cut where) {
    next = where;
  }

  /** Returns the number of connections that were cut. */
  int cuts() {
    return cuts.get();
  }

  /**
   * Drops all bytes of the open connections, like a failed network. Neither side sees a close.
   * Later connections work.
   */
  void loseOpenConnections() {
    losses.incrementAndGet();
  }

  private void accept(NetSocket near, int port) {
    int before = losses.get();
    near.pause();
    AtomicBoolean drop = new AtomicBoolean();
    client
        .connect(port, "localhost")
        .onComplete(
            far -> {
              near.handler(
                  bytes -> {
                    if (losses.get() == before) {
                      drop.compareAndSet(false, sent(near, far, bytes));
                    }
                  });
              far.handler(
                  bytes -> {
                    if (drop.get()) {
                      near.close();
                      far.close();
                    } else if (losses.get() == before) {
                      answered(near, far, bytes);
                    }
                  });
              near.closeHandler(closed -> closeUnlessLost(far, before));
              far.closeHandler(closed -> closeUnlessLost(near, before));
              near.resume();
            },
            failure -> near.close());
  }

  private void closeUnlessLost(NetSocket other, int before) {
    if (losses.get() == before) {
      other.close();
    }
  }

  /** Returns true if the answer is to be dropped. */
  private boolean sent(NetSocket near, NetSocket far, Buffer bytes) {
    Marked request = marked;
    Cut cut = next;
    if (request != null && has(bytes, request.marker)) {
      marked = null;
      cut = request.where;
    } else if (cut == null || cut == Cut.AFTER || !has(bytes, QUERY)) {
      far.write(bytes);
      return false;
    } else {
      next = null;
    }
    cuts.incrementAndGet();
    if (cut == Cut.AFTER) {
      far.write(bytes);
      return true;
    }
    if (cut == Cut.BEFORE) {
      far.close();
    } else {
      far.write(bytes).onComplete(done -> far.close(), failure -> far.close());
    }
    near.close();
    return false;
  }

  private void answered(NetSocket near, NetSocket far, Buffer bytes) {
    if (next == Cut.AFTER && has(bytes, COMPLETE)) {
      next = null;
      cuts.incrementAndGet();
      near.close();
      far.close();
    } else {
      near.write(bytes);
    }
  }

  private static boolean has(Buffer bytes, String message) {
    return bytes.toString(StandardCharsets.ISO_8859_1).contains(message);
  }

  @Override
  public void close() {
    get(server.close());
    get(client.close());
  }
}
