package io.kvreactive.web.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import io.kvreactive.KvKey;
import io.kvreactive.connect.wire.AtomicWrite;
import io.kvreactive.connect.wire.SnapshotRead;
import io.kvreactive.connect.wire.Watch;
import io.kvreactive.connect.wire.WatchKey;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.web.ChangedEngine;
import io.kvreactive.web.Conditions;
import io.kvreactive.web.LogOf;
import io.kvreactive.web.TestServer;
import io.kvreactive.web.internal.rest.TestServerContext;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpVersion;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Callers that disconnect during their request: resources are released and nothing is logged. */
@ExtendWith(VertxExtension.class)
class GoneCallersTest {
  private static final KvKey KEY = KvKey.of("gone");
  private static final int MANY = 40;

  /** More than the maximum that is read on an event loop. */
  private static final UnknownFieldSet LARGE =
      UnknownFieldSet.newBuilder()
          .addField(
              99,
              UnknownFieldSet.Field.newBuilder()
                  .addLengthDelimited(ByteString.copyFrom(new byte[300 << 10]))
                  .build())
          .build();

  private final AtomicInteger watches = new AtomicInteger();
  private final AtomicInteger committed = new AtomicInteger();
  private final Sinks.Empty<Void> answers = Sinks.empty();
  private TestServerContext site;

  @BeforeEach
  void open(Vertx vertx) throws Exception {
    LogOf.begin();
    site = new TestServerContext(vertx, this::observed);
  }

  @AfterEach
  void close() {
    answers.tryEmitEmpty();
    site.close();
  }

  /** Counts watches, and holds the answers to commits until the test releases them. */
  private KvEngine observed(KvEngine engine) {
    KvEngine counted =
        ChangedEngine.of(
            engine,
            "watch",
            (Flux<?> watch) ->
                watch
                    .doOnSubscribe(begun -> watches.incrementAndGet())
                    .doFinally(ended -> watches.decrementAndGet()));
    return ChangedEngine.of(
        counted, "commit", (Mono<?> commit) -> commit.delayUntil(done -> answer()));
  }

  private Mono<Void> answer() {
    committed.incrementAndGet();
    return answers.asMono();
  }

  private ConnectClient client(HttpVersion version) {
    return new ConnectClient(site, version, "any");
  }

  private static byte[] largeRead() {
    return SnapshotRead.newBuilder()
        .addRanges(ConnectClient.point(KEY))
        .setUnknownFields(LARGE)
        .build()
        .toByteArray();
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "HTTP_2"})
  void releasesTheMemoryOfReads(HttpVersion version) throws Exception {
    answers.tryEmitEmpty();
    try (ConnectClient client = client(version)) {
      client.set(KEY, new byte[1000]);
      for (int i = 0; i < MANY; i++) {
        ConnectClient.await(client.takeBack("/v2/snapshot_read", largeRead()));
      }
      for (int i = 0; i < MANY; i++) {
        assertThat(client.post("/v2/snapshot_read", largeRead()).status()).isEqualTo(200);
      }
      Conditions.await(() -> site.heldForAnswers() == 0);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "HTTP_2"})
  void endsWatches(HttpVersion version) throws Exception {
    byte[] watch =
        Watch.newBuilder()
            .addKeys(WatchKey.newBuilder().setKey(ByteString.copyFrom(KEY.bytes())))
            .setUnknownFields(LARGE)
            .build()
            .toByteArray();
    try (ConnectClient client = client(version)) {
      for (int i = 0; i < MANY; i++) {
        ConnectClient.await(client.takeBack("/v2/watch", watch));
      }
      for (int i = 0; i < MANY; i++) {
        assertThat(client.post("/v2/snapshot_read", largeRead()).status()).isEqualTo(200);
      }
      Conditions.await(() -> watches.get() == 0);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "HTTP_2"})
  void logsNoErrorForAnIncompleteBody(HttpVersion version) throws Exception {
    try (ConnectClient client = client(version)) {
      var begun = ConnectClient.await(client.half("/v2/atomic_write", new byte[1000]));
      Conditions.await(() -> site.lifecycle.underWay() == 1);
      begun.reset();
      Conditions.await(() -> site.lifecycle.underWay() == 0);
      assertThat(client.post("/v2/snapshot_read", new byte[0]).status()).isEqualTo(200);
    }
    assertThat(LogOf.errors()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "HTTP_2"})
  void logsNoErrorForAnAbandonedCommit(HttpVersion version) throws Exception {
    byte[] write =
        AtomicWrite.newBuilder()
            .addMutations(ConnectClient.set(KEY.bytes(), new byte[1]))
            .build()
            .toByteArray();
    try (ConnectClient client = client(version)) {
      var sent = ConnectClient.await(client.half("/v2/atomic_write", write));
      ConnectClient.await(sent.end());
      Conditions.await(() -> committed.get() == 1);
      sent.reset();
      Conditions.await(() -> site.lifecycle.underWay() == 0);
      answers.tryEmitEmpty();
      assertThat(client.set(KEY, new byte[2])).isNotNull();
    }
    assertThat(LogOf.errors()).isEmpty();
  }

  /** The connection ends during the request, orderly or not. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void logsNoErrorForAResetConnection(boolean reset) throws Exception {
    try (Socket socket = begun("/v2/atomic_write")) {
      Conditions.await(() -> site.lifecycle.underWay() == 1);
      socket.setSoLinger(reset, 0);
    }
    Conditions.await(() -> site.lifecycle.underWay() == 0);
    assertThat(LogOf.errors()).isEmpty();
  }

  private Socket begun(String path) throws IOException {
    Socket socket = new Socket(site.uri().getHost(), site.uri().getPort());
    String head =
        "POST %s HTTP/1.1\r\nHost: x\r\nx-denokv-version: 3\r\nContent-Type: application/json\r\n"
                .formatted(path)
            + "Transfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n";
    socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
    return socket;
  }

  @ParameterizedTest
  @ValueSource(strings = {"/v2/atomic_write", "/api/v1/atomic", "/"})
  void logsNoErrorForMalformedChunks(String path) throws Exception {
    try (Socket socket = begun(path)) {
      socket.setSoTimeout((int) TestServer.TIMEOUT.toMillis());
      socket.getOutputStream().write("zz\r\n".getBytes(StandardCharsets.US_ASCII));
      assertThat(socket.getInputStream().readAllBytes())
          .isEmpty(); // the next frame has an unknown type
    }
    Conditions.await(() -> site.lifecycle.underWay() == 0);
    assertThat(LogOf.errors()).isEmpty();
  }
}
