package io.kvreactive.web.internal.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.web.Certificates;
import io.kvreactive.web.Conditions;
import io.kvreactive.web.ConnectionOptions;
import io.kvreactive.web.HalfOpenSockets;
import io.kvreactive.web.Http2Peer;
import io.kvreactive.web.RawConnection;
import io.kvreactive.web.TlsOptions;
import io.kvreactive.web.internal.auth.RefusalLog;
import io.kvreactive.web.internal.http.ByteBudget;
import io.kvreactive.web.internal.vertx.ConnectionChannels;
import io.kvreactive.web.internal.vertx.LimitedServer;
import io.netty.channel.ChannelConfig;
import io.netty.channel.RecvByteBufAllocator;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * The total memory of connections is bounded. Connections that hold much memory are closed first.
 */
@ExtendWith(VertxExtension.class)
class ConnectionMemoryTest {
  private static final long BUDGET = 400 << 10;
  private static final int PRIORITY = 2; // a frame
  private static final int UNKNOWN = 0x42;
  private static final long MANY_DESCRIPTORS = 100_000;

  private final ByteBudget memory = new ByteBudget("connections", BUDGET);
  private final ConnectionLimiter connections =
      new ConnectionLimiter(ConnectionOptions.DEFAULT, new RefusalLog(), memory, MANY_DESCRIPTORS);
  private String deployment = "";
  private int port;
  private @Nullable TlsOptions tls;
  private volatile @Nullable ChannelConfig socket; // of the newest connection
  private volatile @Nullable HttpServerRequest paused;

  private final class Server extends VerticleBase {
    @Override
    public Future<?> start() {
      HttpServerOptions options =
          new HttpServerOptions()
              .setHost("127.0.0.1")
              .setPort(0)
              .setMaxHeaderSize(32 << 10)
              .setInitialSettings(new Http2Settings().setInitialWindowSize(1 << 20))
              .setHttp2ConnectionWindowSize(4 << 20);
      if (tls != null) {
        TlsFiles.configure(options, tls);
      }
      ConnectionReaper.prepare(options, connections.options());
      ConnectionReaper watch = new ConnectionReaper(vertx, connections);
      return LimitedServer.create(vertx, options, connections.acceptor(options))
          .connectionHandler(
              connection -> {
                watch.opened(connection);
                socket = ConnectionChannels.of(connection).config();
              })
          .requestHandler(
              request -> {
                HttpServerRequest asked = watch.track(request);
                if (asked != null && asked.path().equals("/now")) {
                  asked.response().end("now");
                } else if (asked != null && asked.path().equals("/paused")) {
                  paused = asked.pause();
                } // other requests are never answered
              })
          .listen()
          .map(HttpServer::actualPort)
          .onSuccess(bound -> port = bound);
    }
  }

  @BeforeEach
  void start(Vertx vertx) throws Exception {
    deployment = get(vertx.deployVerticle(new Server()));
  }

  @AfterEach
  void stop(Vertx vertx) throws Exception {
    get(vertx.undeploy(deployment));
  }

  private static <T> T get(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
  }

  private void asks(RawConnection raw) throws Exception {
    assertThat(raw.send("GET /now HTTP/1.1", "Host: localhost", "").readHead())
        .startsWith("HTTP/1.1 200");
    raw.readBytes("now".length());
  }

  @Test
  void endsTheLargestConnections() throws Exception {
    try (RawConnection modest = new RawConnection(port)) {
      asks(modest);
      for (int i = 0; i < 4; i++) {
        try (Http2Peer peer = new Http2Peer(port)) {
          String filler = "x".repeat(6_000);
          int next = 1;
          try {
            while (next < 400) { // many times the budget
              peer.request(next, false, "POST", "/later", "x-a", filler).flush();
              next += 2;
              assertThat(memory.taken()).isLessThanOrEqualTo(BUDGET);
            }
            peer.next(Http2Peer.GOAWAY);
          } catch (IOException ended) {
            assertThat(next).isGreaterThan(10);
          }
        }
        asks(modest);
      }
    }
    Conditions.await(() -> memory.taken() == 0);
  }

  @Test
  void countsBodiesThatAreNotConsumed() throws Exception {
    try (RawConnection modest = new RawConnection(port);
        Http2Peer peer = new Http2Peer(port)) {
      asks(modest);
      peer.acknowledge().request(1, false, "POST", "/paused");
      sendBody(peer, 200 << 10);
      Conditions.await(() -> memory.taken() >= 200 << 10);
      Conditions.await(() -> paused != null);
      Objects.requireNonNull(paused).resume();
      Conditions.await(() -> memory.taken() < 100 << 10); // the next look of the reaper
      asks(modest);
    }
    Conditions.await(() -> memory.taken() == 0);
  }

  @Test
  void endsConnectionsWhoseBodiesFillTheBudget() throws Exception {
    try (RawConnection modest = new RawConnection(port);
        Http2Peer peer = new Http2Peer(port)) {
      asks(modest);
      peer.acknowledge().request(1, false, "POST", "/paused");
      try {
        sendBody(peer, 800 << 10); // twice the budget
        assertThat(peer.next(Http2Peer.GOAWAY).error()).isZero();
      } catch (IOException ended) {
        assertThat(ended).isNotInstanceOf(SocketTimeoutException.class);
      }
      asks(modest);
    }
    Conditions.await(() -> memory.taken() == 0);
  }

  private static void sendBody(Http2Peer peer, int bytes) throws IOException {
    byte[] frame = new byte[16 << 10];
    for (int sent = 0; sent < bytes; sent += frame.length) {
      peer.frame(Http2Peer.DATA, 0, 1, frame);
    }
    peer.flush();
  }

  @Test
  void countsIncompleteHeads() throws Exception {
    String half = "GET /now HTTP/1.1\r\nHost: localhost\r\nX-A: " + "x".repeat(30_000);
    try (RawConnection modest = new RawConnection(port);
        HalfOpenSockets sockets = HalfOpenSockets.open(port, 40, half)) {
      asks(modest);
      Conditions.await(() -> sockets.alive() < 16); // 40 would be 1.2 MB
      assertThat(memory.taken()).isLessThanOrEqualTo(BUDGET);
      asks(modest);
    }
    Conditions.await(() -> memory.taken() == 0);
  }

  @Test
  void countsEachSocketBeforeItsFirstByte() throws Exception {
    try (HalfOpenSockets sockets = HalfOpenSockets.open(port, 3, "")) {
      Conditions.await(() -> memory.taken() == 3 * (12 << 10));
      assertThat(sockets.alive()).isEqualTo(3);
    }
    Conditions.await(() -> memory.taken() == 0);
  }

  @Test
  void countsMoreForTlsSockets(@TempDir Path directory, Vertx vertx) throws Exception {
    Certificates.Issued own = new Certificates(directory, "authority").issue("server");
    get(vertx.undeploy(deployment));
    tls = TlsOptions.of(own.certificate(), own.key());
    start(vertx);
    try (HalfOpenSockets sockets = HalfOpenSockets.open(port, 2, "")) {
      Conditions.await(() -> memory.taken() == 2 * (48 << 10));
      assertThat(sockets.alive()).isEqualTo(2);
    }
    Conditions.await(() -> memory.taken() == 0);
  }

  @Test
  void retainsNothingForPrioritiesWindowUpdatesAndUnknownFrames() throws Exception {
    try (Http2Peer peer = new Http2Peer(port)) {
      for (int i = 0; i < 10_000; i++) {
        peer.frame(PRIORITY, 0, 2 * i + 1, new byte[5]);
        peer.window(0, 1);
        peer.frame(UNKNOWN, 0, 0, new byte[20]);
      }
      peer.frame(Http2Peer.PING, 0, 0, new byte[8]).flush().next(Http2Peer.PING);
      Conditions.await(() -> memory.taken() == 12 << 10);
    }
  }

  @Test
  void limitsRequestsBehindAPendingOne() throws Exception {
    try (RawConnection modest = new RawConnection(port);
        RawConnection greedy = new RawConnection(port)) {
      asks(modest);
      greedy.send("GET /later HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(3_000));
      assertThat(greedy.readToEnd()).isEmpty();
      assertThat(memory.taken()).isLessThanOrEqualTo(BUDGET);
      asks(modest);
    }
  }

  @Test
  void buffersAtMost64KibibytesAtATime() throws Exception {
    try (RawConnection raw = new RawConnection(port)) {
      asks(raw);
      ChannelConfig config = Objects.requireNonNull(socket);
      assertThat(config.getWriteBufferHighWaterMark()).isEqualTo(64 << 10);
      RecvByteBufAllocator.Handle reads = config.getRecvByteBufAllocator().newHandle();
      for (int i = 0; i < 20; i++) { // of a client that always uses the whole window
        reads.reset(config);
        reads.attemptedBytesRead(reads.guess());
        reads.lastBytesRead(reads.guess());
        reads.readComplete();
      }
      assertThat(reads.guess()).isEqualTo(64 << 10);
    }
  }

  @Test
  void keepsDescriptorsForTheStores() {
    assertThat(ConnectionLimiter.socketsOf(200)).isEqualTo(100);
    assertThat(ConnectionLimiter.socketsOf(1_024)).isEqualTo(512);
    assertThat(ConnectionLimiter.socketsOf(65_536)).isEqualTo(64_512);
    assertThat(ConnectionLimiter.socketsOf(1)).isEqualTo(1);
  }
}
