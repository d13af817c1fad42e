package io.kvreactive.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.web.Http2Peer.Frame;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The flow control windows of request bodies over HTTP/2. */
@ExtendWith(VertxExtension.class)
class Http2WindowsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int DEFAULT_WINDOW = 65_535; // RFC 9113, 6.9.2
  private static final int FRAME = 16_384;

  @Test
  void announcesWindowsForLargeCommits(Vertx vertx) throws Exception {
    try (TestServer server = TestServer.start(vertx, ServerOptions.inMemory());
        Http2Peer peer = new Http2Peer(server.port()).patience(PATIENCE)) {
      assertThat(settings(peer.next(Http2Peer.SETTINGS)))
          .containsEntry(Http2Peer.INITIAL_WINDOW_SIZE, 1 << 20);
      Frame update = peer.next(Http2Peer.WINDOW_UPDATE);
      assertThat(update.stream()).isZero();
      assertThat(ByteBuffer.wrap(update.payload()).getInt() + DEFAULT_WINDOW).isEqualTo(4 << 20);
    }
  }

  private static Map<Integer, Integer> settings(Frame frame) {
    Map<Integer, Integer> settings = new HashMap<>();
    ByteBuffer payload = ByteBuffer.wrap(frame.payload());
    while (payload.hasRemaining()) {
      settings.put((int) payload.getShort(), payload.getInt());
    }
    return settings;
  }

  @Test
  void acceptsACommitOf640KilobytesThatIsSentAtOnce(Vertx vertx) throws Exception {
    try (TestServer server = TestServer.start(vertx, ServerOptions.inMemory());
        Http2Peer peer = new Http2Peer(server.port()).patience(PATIENCE)) {
      peer.acknowledge();
      peer.request(
          1,
          false,
          "POST",
          "/api/v1/atomic",
          "authorization",
          "Bearer " + TestServer.TOKEN,
          "content-type",
          "application/json");
      byte[] body = commit(40, "x".repeat(16_000)).getBytes(StandardCharsets.US_ASCII);
      for (int from = 0; from < body.length; from += FRAME) { // waits for no WINDOW_UPDATE
        int to = Math.min(body.length, from + FRAME);
        int flags = to == body.length ? Http2Peer.END_STREAM : 0;
        peer.frame(Http2Peer.DATA, flags, 1, Arrays.copyOfRange(body, from, to));
      }
      peer.flush();
      peer.next(Http2Peer.HEADERS);
      assertThat(new String(peer.next(Http2Peer.DATA).payload(), StandardCharsets.UTF_8))
          .contains("\"committed\":true");
    }
  }

  private static String commit(int sets, String value) {
    return IntStream.range(0, sets)
        .mapToObj(i -> "{\"type\": \"set\", \"key\": [%d], \"value\": \"%s\"}".formatted(i, value))
        .collect(Collectors.joining(",", "{\"mutations\": [", "]}"));
  }
}
