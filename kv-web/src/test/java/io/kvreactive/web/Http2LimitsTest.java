package io.kvreactive.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.web.Http2Peer.Frame;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Limits of an HTTP/2 connection for any behaviour of its client. */
@Timeout(300)
@ExtendWith(VertxExtension.class)
class Http2LimitsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final String[] AUTHORIZED = {
    "authorization", "Bearer " + TestServer.TOKEN, "content-type", "application/json"
  };

  private static final int PRIORITY_BYTES = 5;
  private static final long STALL_MILLIS = 1_000;

  private static final int NO_ERROR = 0;
  private static final int PROTOCOL_ERROR = 1;
  private static final int REFUSED_STREAM = 7;
  private static final int CANCEL = 8;
  private static final int ENHANCE_YOUR_CALM = 11;

  private TestServer server;
  private Vertx vertx;

  @BeforeEach
  void begin(Vertx vertx) {
    this.vertx = vertx;
    LogOf.begin();
  }

  @AfterEach
  void close() {
    server.close();
  }

  private Http2Peer connect(ConnectionOptions options, int... settings) throws IOException {
    server =
        TestServer.start(
            vertx,
            ServerOptions.inMemory()
                .withConnections(options)
                .withOperations(OperationsOptions.DEFAULT.withAccessLog(true)));
    return new Http2Peer(server.port(), settings).patience(PATIENCE);
  }

  private static int stream(int number) {
    return 2 * number + 1;
  }

  @Test
  void refusesStreamsAboveTheLimitOfAClientThatAcknowledgesNoSettings() throws Exception {
    try (Http2Peer peer = connect(ConnectionOptions.DEFAULT.withMaxStreams(10))) {
      for (int i = 0; i < 15; i++) { // their bodies do not follow
        peer.request(stream(i), false, "POST", "/api/v1/atomic", AUTHORIZED);
      }
      peer.flush();
      for (int i = 10; i < 15; i++) {
        Frame refused = peer.next(Http2Peer.RST_STREAM);
        assertThat(refused.stream()).isEqualTo(stream(i));
        assertThat(refused.error()).isEqualTo(REFUSED_STREAM);
      }
    }
  }

  @Test
  void endsAConnectionThatKeepsOpeningStreamsAboveTheLimit() throws Exception {
    try (Http2Peer peer = connect(ConnectionOptions.DEFAULT.withMaxStreams(10))) {
      for (int i = 0; i < 1_100; i++) {
        peer.request(stream(i), false, "POST", "/api/v1/atomic", AUTHORIZED);
      }
      peer.flush();
      assertThat(peer.next(Http2Peer.GOAWAY).error()).isEqualTo(ENHANCE_YOUR_CALM);
    }
  }

  /** Fails if the connection ends before a ping is answered. */
  private static void isOpen(Http2Peer peer) throws IOException {
    peer.frame(Http2Peer.PING, 0, 0, new byte[8]).flush();
    Frame frame = peer.next();
    while (frame != null && frame.type() != Http2Peer.PING) {
      assertThat(frame.type()).isNotEqualTo(Http2Peer.GOAWAY);
      frame = peer.next();
    }
    assertThat(frame).isNotNull();
  }

  private static void isEnded(Http2Peer peer) throws IOException {
    assertThat(peer.flush().next(Http2Peer.GOAWAY).error()).isEqualTo(ENHANCE_YOUR_CALM);
  }

  @Test
  void refusesAThousandStreamsBeforeItEndsTheConnection() throws Exception {
    try (Http2Peer peer = connect(ConnectionOptions.DEFAULT.withMaxStreams(1))) {
      peer.request(stream(0), false, "POST", "/api/v1/atomic", AUTHORIZED);
      for (int i = 1; i <= 1_000; i++) {
        peer.request(stream(i), false, "POST", "/api/v1/atomic", AUTHORIZED);
      }
      isOpen(peer);
      peer.request(stream(1_001), false, "POST", "/api/v1/atomic", AUTHORIZED);
      isEnded(peer);
    }
  }

  @Test
  void toleratesAThousandCancelledRequests() throws Exception {
    try (Http2Peer peer = connect(ConnectionOptions.DEFAULT)) {
      for (int i = 0; i < 1_000; i++) {
        peer.request(stream(i), false, "POST", "/api/v1/atomic", AUTHORIZED);
        peer.reset(stream(i), CANCEL);
      }
      isOpen(peer);
      peer.request(stream(1_000), false, "POST", "/api/v1/atomic", AUTHORIZED);
      peer.reset(stream(1_000), CANCEL);
      isEnded(peer);
    }
  }

  @Test
  void toleratesAHundredChangesOfSettings() throws Exception {
    try (Http2Peer peer = connect(ConnectionOptions.DEFAULT)) {
      for (int i = 0; i < 100; i++) {
        peer.settings(Http2Peer.HEADER_TABLE_SIZE, i);
      }
      isOpen(peer);
      peer.settings(Http2Peer.HEADER_TABLE_SIZE, 100);
      isEnded(peer);
    }
  }

  /** Sends a head in a HEADERS frame and the given number of CONTINUATION frames. */
  private static void continuations(Http2Peer peer, int stream, int count) throws IOException {
    byte[] block = Http2Peer.block("GET", "/livez");
    peer.frame(Http2Peer.HEADERS, Http2Peer.END_STREAM, stream, new byte[0]);
    for (int i = 0; i < count; i++) {
      boolean last = i == count - 1;
      byte[] piece = last ? Arrays.copyOfRange(block, i, block.length) : new byte[] {block[i]};
      peer.frame(Http2Peer.CONTINUATION, last ? Http2Peer.END_HEADERS : 0, stream, piece);
    }
    peer.flush();
  }

  @Test
  void acceptsAHeadOfAtMostSixteenSmallFrames() throws Exception {
    try (Http2Peer peer = connect(ConnectionOptions.DEFAULT)) {
      continuations(peer, 1, 15);
      assertThat(peer.next(Http2Peer.HEADERS).stream()).isEqualTo(1);
      continuations(peer, 3, 16);
      isEnded(peer);
    }
  }

  @Test
  void acceptsAtMostTwoEmptyDataFramesInARow() throws Exception {
    try (Http2Peer peer = connect(ConnectionOptions.DEFAULT)) {
      peer.request(1, false, "POST", "/api/v1/atomic", AUTHORIZED);
      peer.frame(Http2Peer.DATA, 0, 1, new byte[0]).frame(Http2Peer.DATA, 0, 1, new byte[0]);
      isOpen(peer);
      peer.frame(Http2Peer.DATA, 0, 1, new byte[0]);
      isEnded(peer);
    }
  }

  @Test
  void acceptsAHeadOfAtMost32Kibibytes() throws Exception {
    try (Http2Peer peer = connect(ConnectionOptions.DEFAULT)) {
      String half = "x".repeat(15 << 10);
      peer.request(1, true, "GET", "/livez?" + half, "x-a", half).flush();
      Frame answer = peer.next(Http2Peer.HEADERS);
      assertThat(answer.stream()).isEqualTo(1);
      assertThat(answer.endsStream()).isFalse(); // "ok" follows
      peer.next(Http2Peer.DATA);
      peer.request(3, true, "GET", "/livez?" + half, "x-a", half + "x".repeat(2 << 10)).flush();
      Frame refused = peer.next(Http2Peer.HEADERS);
      assertThat(refused.stream()).isEqualTo(3);
      assertThat(new String(refused.payload(), StandardCharsets.ISO_8859_1)).contains("431");
    }
  }

  /** Accepts more streams in sequence than are allowed concurrently. */
  @Test
  void resetsStreamsAnsweredBeforeTheEndOfTheirBodies() throws Exception {
    try (Http2Peer peer = connect(ConnectionOptions.DEFAULT.withMaxStreams(2))) {
      peer.request(1, false, "POST", "/api/v1/atomic");
      peer.request(3, false, "POST", "/api/v1/atomic").flush();
      Set<Integer> answered = new HashSet<>();
      Set<Integer> reset = new HashSet<>();
      while (reset.size() < 2) {
        Frame frame = peer.next();
        if (frame.endsStream()) {
          answered.add(frame.stream());
        } else if (frame.type() == Http2Peer.RST_STREAM) {
          assertThat(frame.error()).isEqualTo(NO_ERROR);
          assertThat(answered).contains(frame.stream());
          reset.add(frame.stream());
        }
      }
      assertThat(reset).containsExactlyInAnyOrder(1, 3);
      peer.request(5, false, "POST", "/api/v1/atomic");
      peer.request(7, false, "POST", "/api/v1/atomic").flush();
      assertThat(peer.next(Http2Peer.HEADERS).stream()).isEqualTo(5);
      assertThat(peer.next(Http2Peer.HEADERS).stream()).isEqualTo(7);
    }
  }

  @Test
  void keepsAnAnsweredStreamWhoseBodyEndsSoon() throws Exception {
    try (Http2Peer peer = connect(ConnectionOptions.DEFAULT)) {
      peer.request(1, false, "POST", "/api/v1/atomic").flush();
      peer.next(Http2Peer.DATA);
      peer.frame(Http2Peer.DATA, Http2Peer.END_STREAM, 1, new byte[10]).flush();
      peer.request(3, true, "GET", "/livez").flush();
      Frame frame = peer.next();
      while (frame.stream() != 3 || !frame.endsStream()) {
        assertThat(frame.type()).isNotEqualTo(Http2Peer.RST_STREAM);
        frame = peer.next();
      }
    }
  }

  @Test
  void endsAConnectionWhoseAnsweredStreamsStayOpen() throws Exception {
    ConnectionOptions options =
        ConnectionOptions.DEFAULT
            .withTimeouts(LONG, Duration.ofMillis(300))
            .withIdle(LONG, Duration.ofMinutes(4));
    try (Http2Peer peer = connect(options, Http2Peer.INITIAL_WINDOW_SIZE, 0)) {
      peer.request(1, false, "POST", "/api/v1/atomic").flush(); // its answer cannot be sent
      int next = 1;
      Frame frame = peer.next(Http2Peer.HEADERS);
      while (frame != null && frame.type() != Http2Peer.GOAWAY) {
        if (frame.type() == Http2Peer.HEADERS) { // new requests do not keep it open
          peer.request(stream(next++), true, "HEAD", "/livez").flush();
        }
        frame = peer.next();
      }
    }
    assertThat(LogOf.audit()).anyMatch(e -> e.contains("event=connection.slow"));
  }

  @Test
  void endsAConnectionThatNeverReadsAnAnswer() throws Exception {
    ConnectionOptions options =
        ConnectionOptions.DEFAULT
            .withTimeouts(LONG, Duration.ofMillis(500)) // there are no bodies
            .withIdle(LONG, Duration.ofMillis(500));
    try (Http2Peer peer = connect(options, Http2Peer.INITIAL_WINDOW_SIZE, 0)) {
      peer.request(1, true, "GET", "/livez").flush();
      int next = 1;
      Frame frame = peer.next(Http2Peer.HEADERS);
      while (frame != null && frame.type() != Http2Peer.GOAWAY) {
        if (frame.type() == Http2Peer.HEADERS) {
          peer.request(stream(next++), true, "HEAD", "/livez").flush();
        }
        frame = peer.next();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"a\rb", "a\nb", "a\0b", "a\r\nx: y"})
  void resetsRequestsWithMalformedFields(String value) throws Exception {
    try (Http2Peer peer = connect(ConnectionOptions.DEFAULT)) {
      peer.request(1, true, "GET", "/livez", "x-a", value);
      peer.request(3, true, "GET", "/livez?" + value);
      peer.request(5, true, "GET", "/livez", "x a", "b");
      for (int i = 0; i < 3; i++) {
        Frame reset = peer.flush().next(Http2Peer.RST_STREAM);
        assertThat(reset.stream()).isEqualTo(stream(i));
        assertThat(reset.error()).isEqualTo(PROTOCOL_ERROR);
      }
      peer.request(7, true, "GET", "/livez").flush();
      assertThat(peer.next(Http2Peer.HEADERS).stream()).isEqualTo(7);
    }
  }

  /** Each response has different fields, which would fill an unbounded table. */
  @Test
  void keepsTheTableOfResponseHeadersSmall() throws Exception {
    try (Http2Peer peer =
        connect(ConnectionOptions.DEFAULT, Http2Peer.HEADER_TABLE_SIZE, 64 << 20)) {
      peer.settings(Http2Peer.HEADER_TABLE_SIZE, 65 << 20);
      peer.request(1, true, "GET", "/livez").flush();
      List<Integer> sizes = tableSizes(peer.next(Http2Peer.HEADERS));
      assertThat(sizes).isNotEmpty();
      assertThat(sizes.get(sizes.size() - 1)).isLessThanOrEqualTo(4096);
    }
  }

  /** Returns the dynamic table size updates (RFC 7541 6.3) at the start of a header block. */
  private static List<Integer> tableSizes(Frame headers) {
    List<Integer> sizes = new ArrayList<>();
    byte[] block = headers.payload();
    int at = (headers.flags() & Http2Peer.PRIORITY) == 0 ? 0 : PRIORITY_BYTES;
    while ((block[at] & 0xe0) == 0x20) {
      int size = block[at++] & 0x1f;
      if (size == 0x1f) {
        int shift = 0;
        do {
          size += (block[at] & 0x7f) << shift;
          shift += 7;
        } while ((block[at++] & 0x80) != 0);
      }
      sizes.add(size);
    }
    return sizes;
  }

  @Test
  void endsAConnectionThatKeepsChangingSettings() throws Exception {
    try (Http2Peer peer = connect(ConnectionOptions.DEFAULT)) {
      for (int i = 0; i < 200; i++) {
        peer.settings(Http2Peer.HEADER_TABLE_SIZE, i);
      }
      peer.flush();
      assertThat(peer.next(Http2Peer.GOAWAY).error()).isEqualTo(ENHANCE_YOUR_CALM);
    }
  }

  /** The windows of HTTP/2 do not limit answers without a body and answers to pings. */
  @ParameterizedTest
  @ValueSource(strings = {"requests", "pings"})
  void stopsReadingFromAClientThatDoesNotRead(String what) throws Exception {
    server = TestServer.start(vertx);
    int most = 48 << 20;
    try (SocketChannel socket = SocketChannel.open();
        Selector writable = Selector.open()) {
      socket.setOption(java.net.StandardSocketOptions.SO_RCVBUF, 4096);
      socket.connect(new InetSocketAddress("127.0.0.1", server.port()));
      socket.write(
          ByteBuffer.wrap(
              "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"
                  .getBytes(StandardCharsets.ISO_8859_1)));
      socket.configureBlocking(false);
      socket.register(writable, SelectionKey.OP_WRITE);
      int sent = 0;
      int next = 0;
      ByteBuffer batch = ByteBuffer.allocate(0);
      int written = 1;
      while (sent < most && (written > 0 || writable.select(STALL_MILLIS) > 0)) {
        writable.selectedKeys().clear();
        if (!batch.hasRemaining()) {
          batch = what.equals("pings") ? pings() : heads(next);
          next += 500;
        }
        written = socket.write(batch);
        sent += written;
      }
      assertThat(sent).isLessThan(most);
    } catch (IOException ended) {
      return; // this is a limit too
    }
    assertThat(server.get("/livez").statusCode()).isEqualTo(200);
  }

  private static ByteBuffer pings() {
    ByteBuffer batch = ByteBuffer.allocate(500 * 17);
    for (int i = 0; i < 500; i++) {
      batch.put(new byte[] {0, 0, 8, Http2Peer.PING, 0, 0, 0, 0, 0}).putLong(i);
    }
    return batch.flip();
  }

  private static ByteBuffer heads(int from) {
    byte[] block = Http2Peer.block("HEAD", "/livez");
    ByteBuffer batch = ByteBuffer.allocate(500 * (block.length + 9));
    for (int i = 0; i < 500; i++) {
      batch.put(new byte[] {0, 0, (byte) block.length, Http2Peer.HEADERS, 5});
      batch.putInt(stream(from + i)).put(block);
    }
    return batch.flip();
  }

  @Test
  void logsHeadRequestsWithTheirStatusAndDisconnectedCallersAs499() throws Exception {
    try (Http2Peer peer = connect(ConnectionOptions.DEFAULT)) {
      peer.request(1, true, "HEAD", "/nowhere", AUTHORIZED).flush().next(Http2Peer.HEADERS);
      peer.request(3, false, "POST", "/api/v1/atomic", AUTHORIZED).flush();
      peer.reset(3, CANCEL).flush();
      Conditions.await(() -> LogOf.access().count() == 2);
    }
    assertThat(LogOf.access())
        .anyMatch(line -> line.contains("method=HEAD") && line.contains("status=404"))
        .anyMatch(line -> line.contains("method=POST") && line.contains("status=499"));
    assertThat(LogOf.errors()).isEmpty();
  }
}
