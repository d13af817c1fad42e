package io.kvreactive.web.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.kvreactive.KvKey;
import io.kvreactive.KvOptions;
import io.kvreactive.connect.wire.Watch;
import io.kvreactive.connect.wire.WatchKey;
import io.kvreactive.web.Conditions;
import io.kvreactive.web.Http2Peer;
import io.kvreactive.web.RoutesOptions;
import io.kvreactive.web.TestServer;
import io.kvreactive.web.internal.auth.Authenticator;
import io.kvreactive.web.internal.feed.Events;
import io.kvreactive.web.internal.rest.SlowClient;
import io.kvreactive.web.internal.rest.TestServerContext;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpVersion;
import io.vertx.junit5.VertxExtension;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Heartbeats of streams whose clients read nothing, with a window of 0 over HTTP/2 or a full
 * connection over HTTP/1.1: they do not accumulate. Another client, which reads, shows that many
 * were due meanwhile.
 */
@ExtendWith(VertxExtension.class)
class UnreadHeartbeatsTest {
  private static final int DUE = 200; // heartbeats of events
  private static final int PINGS = 2; // of watches, one every 3 s
  private static final String PING = "\0\0\0\0";
  private static final KvKey KEY = KvKey.of("k");

  /** Keys whose values make a state of a watch larger than what sockets buffer, 4 MiB. */
  private static final List<KvKey> LARGE =
      IntStream.range(0, 90).mapToObj(i -> KvKey.of("large", i)).toList();

  private TestServerContext site;

  @BeforeEach
  void open(Vertx vertx) throws Exception {
    site =
        new TestServerContext(
            vertx,
            KvOptions.inMemory(),
            RoutesOptions.DEFAULT.withHeartbeat(Duration.ofMillis(5)),
            Authenticator.OPEN);
  }

  @AfterEach
  void close() {
    site.close();
  }

  private void set(Object value) {
    site.kv.set(KEY, value).block(TestServer.TIMEOUT);
  }

  private Events events() throws Exception {
    return Events.at(site.rest(), "/changes");
  }

  private static void awaitHeartbeats(Events events) throws Exception {
    for (int i = 0; i < DUE; ) {
      i += events.eventOrComment().comment() == null ? 0 : 1;
    }
  }

  /** Returns the largest number of successive heartbeats. */
  private static int run(String text, String heartbeat) {
    int longest = 0;
    int run = 0;
    for (int at = 0; at < text.length(); ) {
      boolean isOne = text.startsWith(heartbeat, at);
      run = isOne ? run + 1 : 0;
      longest = Math.max(longest, run);
      at += isOne ? heartbeat.length() : 1;
    }
    return longest;
  }

  private static byte[] watch() {
    Watch.Builder watch = Watch.newBuilder().addKeys(watched(KEY));
    LARGE.forEach(key -> watch.addKeys(watched(key)));
    return watch.build().toByteArray();
  }

  private static WatchKey watched(KvKey key) {
    return WatchKey.newBuilder().setKey(ByteString.copyFrom(key.bytes())).build();
  }

  /** Waits until another watch has received pings. */
  private void awaitPings() throws Exception {
    try (var client = new ConnectClient(site, HttpVersion.HTTP_2, "all")) {
      try (FrameReader frames =
          new FrameReader(ConnectClient.await(client.begin("/v2/watch", watch())))) {
        frames.next();
        for (int i = 0; i < PINGS; i++) {
          frames.awaitPing();
        }
      }
    }
  }

  /** Returns what the server sends after the window was opened, up to a text and the text. */
  private static String readAfterOpening(Http2Peer peer, String end) throws IOException {
    peer.window(1, 1 << 20).flush();
    StringBuilder text = new StringBuilder();
    while (text.indexOf(end) < 0) {
      byte[] data = peer.next(Http2Peer.DATA).payload();
      text.append(new String(data, StandardCharsets.ISO_8859_1));
    }
    return text.substring(0, text.indexOf(end));
  }

  private Http2Peer peer() throws IOException {
    return new Http2Peer(site.uri().getPort(), Http2Peer.INITIAL_WINDOW_SIZE, 0)
        .patience(TestServer.TIMEOUT)
        .acknowledge();
  }

  @Test
  void ofEventsWaitForAWindowOfHttp2() throws Exception {
    try (Http2Peer peer = peer();
        Events read = events()) {
      peer.request(1, true, "GET", "/api/v1/changes", "accept", "text/event-stream").flush();
      Conditions.await(() -> site.lifecycle.underWay() == 2);
      awaitHeartbeats(read);
      set("last");
      read.next("commit");
      assertThat(run(readAfterOpening(peer, "last"), ":\n\n")).isLessThan(DUE / 10);
    }
  }

  @Test
  void ofEventsWaitForAReaderOfHttp1() throws Exception {
    try (SlowClient slow = new SlowClient(site.uri());
        Events read = events()) {
      slow.get("/changes", "text/event-stream");
      Conditions.await(() -> site.lifecycle.underWay() == 2);
      fill();
      awaitHeartbeats(read);
      awaitHeartbeats(read);
      set("last");
      assertThat(run(read(slow.in(), "\"last\""), "3\r\n:\n\n\r\n")).isLessThan(DUE);
    }
  }

  @Test
  void ofWatchesWaitForAWindowOfHttp2() throws Exception {
    try (Http2Peer peer = peer()) {
      byte[] body = watch();
      peer.request(
              1,
              false,
              "POST",
              "/v2/watch",
              "x-denokv-version",
              "3",
              "x-denokv-database-id",
              site.kv.historyId().toString(),
              "content-length",
              "" + body.length)
          .frame(Http2Peer.DATA, Http2Peer.END_STREAM, 1, body)
          .flush();
      Conditions.await(() -> site.lifecycle.underWay() == 1);
      awaitPings();
      set("last");
      assertThat(run(readAfterOpening(peer, "last"), PING)).isLessThan(PINGS);
    }
  }

  @Test
  void ofWatchesWaitForAReaderOfHttp1() throws Exception {
    LARGE.forEach(key -> site.kv.set(key, "x".repeat(60_000)).block(TestServer.TIMEOUT));
    try (SlowClient slow = new SlowClient(site.uri())) {
      byte[] body = watch();
      slow.send(
              """
              POST /v2/watch HTTP/1.1\r
              Host: x\r
              X-Denokv-Version: 3\r
              X-Denokv-Database-Id: %s\r
              Content-Length: %d\r
              \r
              """
                  .formatted(site.kv.historyId(), body.length))
          .send(body);
      Conditions.await(() -> site.lifecycle.underWay() == 1);
      awaitPings();
      set("last");
      assertThat(run(read(slow.in(), "last"), "4\r\n" + PING + "\r\n")).isLessThan(PINGS);
    }
  }

  /** Writes 30 MB, of which the sockets of a client that does not read buffer a part. */
  private void fill() {
    for (int i = 0; i < 500; i++) {
      set(i + "x".repeat(60_000));
    }
  }

  /** Returns what the server has sent before a text. */
  private static String read(InputStream in, String end) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    byte[] piece = new byte[1 << 16];
    String tail = "";
    while (!tail.contains(end)) {
      int count = in.read(piece);
      assertThat(count).isPositive();
      all.write(piece, 0, count);
      String text = new String(piece, 0, count, StandardCharsets.ISO_8859_1);
      String both = tail + text;
      tail = both.contains(end) ? end : both.substring(Math.max(0, both.length() - end.length()));
    }
    return all.toString(StandardCharsets.ISO_8859_1);
  }
}
