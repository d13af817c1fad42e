package io.kvreactive.documents;

import io.kvreactive.documents.testkit.TestStore;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import java.net.URI;
import java.util.concurrent.atomic.AtomicLong;
import reactor.core.publisher.Mono;

/** A proxy that counts the bytes which a server sends. */
final class CountingProxy implements AutoCloseable {
  private final NetClient client;
  private final NetServer server;
  private final AtomicLong bytes = new AtomicLong();

  private CountingProxy(Vertx vertx, URI target) {
    client = vertx.createNetClient();
    server =
        TestStore.of(
            Mono.fromCompletionStage(
                vertx
                    .createNetServer()
                    .connectHandler(
                        near -> {
                          near.pause();
                          client
                              .connect(target.getPort(), target.getHost())
                              .onSuccess(far -> join(near, far))
                              .onFailure(refused -> near.close());
                        })
                    .listen(0, "127.0.0.1")
                    .toCompletionStage()));
  }

  static CountingProxy to(Vertx vertx, String url) {
    return new CountingProxy(vertx, URI.create(url));
  }

  private void join(NetSocket near, NetSocket far) {
    far.handler(
        received -> {
          bytes.addAndGet(received.length());
          near.write(received);
        });
    near.handler(far::write);
    far.closeHandler(closed -> near.close());
    near.closeHandler(closed -> far.close());
    near.resume();
  }

  String url() {
    return "http://127.0.0.1:" + server.actualPort();
  }

  long bytes() {
    return bytes.get();
  }

  @Override
  public void close() {
    TestStore.orNull(Mono.fromCompletionStage(server.close().toCompletionStage()));
    TestStore.orNull(Mono.fromCompletionStage(client.close().toCompletionStage()));
  }
}
