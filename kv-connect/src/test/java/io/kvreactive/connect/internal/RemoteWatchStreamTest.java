package io.kvreactive.connect.internal;

import static io.kvreactive.connect.internal.Peer.code;
import static io.kvreactive.connect.internal.Peer.get;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.kvreactive.Kv;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvKey;
import io.kvreactive.KvU64;
import io.kvreactive.Versionstamp;
import io.kvreactive.connect.wire.KvEntry.Builder;
import io.kvreactive.connect.wire.SnapshotReadStatus;
import io.kvreactive.connect.wire.ValueEncoding;
import io.kvreactive.connect.wire.WatchOutput;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.junit5.VertxExtension;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;

/** Watches over connections that are lost. */
@ExtendWith(VertxExtension.class)
class RemoteWatchStreamTest {
  private static final KvKey KEY = KvKey.of("w");

  private Vertx vertx;

  @BeforeEach
  void use(Vertx vertx) {
    this.vertx = vertx;
  }

  private Peer peer(Consumer<HttpServerRequest> watch) {
    return new Peer(
        vertx,
        request -> {
          if (request.path().equals("/")) {
            Peer.answerMetadata(request, "/v2", "t");
          } else {
            watch.accept(request);
          }
        });
  }

  private static HttpServerResponse begin(HttpServerRequest request) {
    return request
        .response()
        .setChunked(true)
        .putHeader("Content-Type", "application/octet-stream");
  }

  /**
   * A frame with one key.
   *
   * @param version the version of the key, or null if it is absent
   */
  private static Buffer frame(@Nullable Long version) {
    WatchOutput.Builder output = WatchOutput.newBuilder().setStatus(SnapshotReadStatus.SR_SUCCESS);
    var key = output.addKeysBuilder().setChanged(true);
    if (version != null) {
      Builder entry =
          key.getEntryIfChangedBuilder()
              .setKey(ByteString.copyFrom(KEY.bytes()))
              .setEncoding(ValueEncoding.VE_LE64)
              .setVersionstamp(ByteString.copyFrom(Versionstamp.of(version).toBytes()));
      entry.setValue(ByteString.copyFrom(Buffer.buffer().appendLongLE(version).getBytes()));
    }
    byte[] message = output.build().toByteArray();
    return Buffer.buffer().appendIntLE(message.length).appendBytes(message);
  }

  private static Flux<Object> states(Kv kv) {
    return kv.watch(List.of(KEY), Object.class)
        .map(state -> state.get(0))
        .map(entry -> entry.exists() ? entry.required() : "absent");
  }

  @Test
  void resumesWhenTheResponseEnds() {
    AtomicInteger connections = new AtomicInteger();
    try (Peer peer =
        peer(
            request -> {
              HttpServerResponse response = begin(request);
              switch (connections.incrementAndGet()) {
                case 1 ->
                    response
                        .write(Buffer.buffer(new byte[4]))
                        .onComplete(w -> response.end(frame(null)));
                case 2 -> response.end(frame(null)); // the same state
                case 3 -> {
                  Buffer torn = frame(5L);
                  response.end(torn.slice(0, torn.length() - 3));
                }
                case 4 -> request.connection().close();
                case 5 -> request.response().setStatusCode(503).end();
                case 6 -> response.end(frame(5L));
                default -> response.write(frame(6L));
              }
            })) {
      Kv kv = peer.connect(); // so the limit of silence is zero
      StepVerifier.create(states(kv))
          .expectNext("absent", KvU64.of(5), KvU64.of(6))
          .thenCancel()
          .verify(Peer.TIMEOUT);
      kv.close().block(Peer.TIMEOUT);
    }
    assertThat(connections).hasValue(7);
  }

  @Test
  void readsFramesSplitAnywhere() {
    try (Peer peer =
        peer(
            request -> {
              HttpServerResponse response = begin(request);
              Buffer all = frame(1L).appendBytes(new byte[8]).appendBuffer(frame(2L));
              for (int i = 0; i < all.length(); i++) {
                response.write(all.slice(i, i + 1));
              }
            })) {
      Kv kv = peer.connect();
      assertThat(get(states(kv).filter(KvU64.of(2)::equals).next())).isEqualTo(KvU64.of(2));
      kv.close().block(Peer.TIMEOUT);
    }
  }

  @Test
  void leavesASilentServer() {
    AtomicInteger connections = new AtomicInteger();
    try (Peer peer =
        peer(request -> begin(request).write(frame((long) connections.incrementAndGet())))) {
      Kv kv = peer.connect(Peer.quick(60_000, 100));
      // of each connection, except for those closed before their frame arrives
      List<Object> seen = get(states(kv).take(3).collectList());
      assertThat(seen).hasSize(3).doesNotHaveDuplicates();
      assertThat(seen.stream().map(each -> ((KvU64) each).longValueExact()).toList()).isSorted();
      kv.close().block(Peer.TIMEOUT);
    }
  }

  @Test
  void endsOnPermanentErrorsAndMalformedFrames() {
    ends(request -> request.response().setStatusCode(403).end(), KvErrorCode.FORBIDDEN);
    ends(request -> request.response().setStatusCode(401).end(), KvErrorCode.UNAUTHENTICATED);
    ends(
        request -> begin(request).write(Buffer.buffer().appendIntLE(Integer.MAX_VALUE)),
        KvErrorCode.UNAVAILABLE);
    ends(
        request -> begin(request).write(Buffer.buffer().appendIntLE(3).appendString("abc")),
        KvErrorCode.UNAVAILABLE);
    ends(
        request ->
            begin(request).write(Buffer.buffer().appendIntLE(2).appendBytes(new byte[] {8, 1})),
        KvErrorCode.UNAVAILABLE); // no keys
  }

  private void ends(Consumer<HttpServerRequest> answer, KvErrorCode expected) {
    try (Peer peer = peer(answer)) {
      Kv kv = peer.connect();
      assertThat(code(kv.watch(List.of(KEY), Object.class).next())).isEqualTo(expected);
      kv.close().block(Peer.TIMEOUT);
    }
  }

  @Test
  void givesUpWithoutAFirstState() {
    try (Peer peer = peer(request -> request.response().setStatusCode(500).end())) {
      Kv kv = peer.connectWithBudget(300);
      assertThat(code(states(kv).next())).isEqualTo(KvErrorCode.UNAVAILABLE);
      kv.close().block(Peer.TIMEOUT);
    }
  }
}
