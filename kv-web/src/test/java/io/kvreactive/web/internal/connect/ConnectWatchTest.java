package io.kvreactive.web.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.kvreactive.KvKey;
import io.kvreactive.KvOptions;
import io.kvreactive.connect.wire.Watch;
import io.kvreactive.connect.wire.WatchKey;
import io.kvreactive.connect.wire.WatchOutput;
import io.kvreactive.testing.Tries;
import io.kvreactive.web.Conditions;
import io.kvreactive.web.NonBlockingThreads;
import io.kvreactive.web.RoutesOptions;
import io.kvreactive.web.TestServer;
import io.kvreactive.web.internal.auth.Grant;
import io.kvreactive.web.internal.rest.TestServerContext;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.junit5.VertxExtension;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@ExtendWith(VertxExtension.class)
@ExtendWith(NonBlockingThreads.class)
class ConnectWatchTest {
  private static final KvKey A = KvKey.of("a");
  private static final KvKey B = KvKey.of("b");
  private final TestServerContext site;
  private volatile Instant end = Instant.MAX; // the end of the brief token

  ConnectWatchTest(Vertx vertx) throws Exception {
    site = new TestServerContext(vertx, KvOptions.inMemory(), RoutesOptions.DEFAULT, this::grant);
  }

  /** Grants all rights to every token, to the brief token only for some seconds. */
  private Grant grant(@Nullable String token) {
    Grant all = Grant.all("all");
    if (!"brief".equals(token)) {
      return all;
    }
    end = Instant.now().plusSeconds(2);
    return new Grant("brief", all.access(), List.of(), Set.of(), end);
  }

  @AfterEach
  void stop() {
    site.close();
  }

  private static Future<HttpClientResponse> begin(ConnectClient client, KvKey... keys) {
    Watch.Builder watch = Watch.newBuilder();
    for (KvKey key : keys) {
      watch.addKeys(WatchKey.newBuilder().setKey(ByteString.copyFrom(key.bytes())));
    }
    return client.begin("/v2/watch", watch.build().toByteArray());
  }

  private void set(KvKey key, Object value) {
    site.kv.set(key, value).block(TestServer.TIMEOUT);
  }

  private static List<Integer> sizes(WatchOutput output) {
    return output.getKeysList().stream()
        .map(key -> key.hasEntryIfChanged() ? key.getEntryIfChanged().getValue().size() : -1)
        .toList();
  }

  private static FrameReader frames(ConnectClient client) {
    HttpClientResponse response = ConnectClient.await(begin(client, A, B));
    assertThat(response.getHeader("Content-Type")).isEqualTo("application/octet-stream");
    assertThat(response.getHeader("Content-Encoding")).isNull();
    return new FrameReader(response);
  }

  @Test
  void sendsAllKeysInEachFrame() throws Exception {
    try (var http1 = new ConnectClient(site, HttpVersion.HTTP_1_1, "all");
        var http2 = new ConnectClient(site, HttpVersion.HTTP_2, "all");
        FrameReader first = frames(http1);
        FrameReader second = frames(http2)) {
      List<FrameReader> both = List.of(first, second);
      for (FrameReader frames : both) {
        assertThat(sizes(frames.next())).containsExactly(-1, -1);
      }
      set(A, new byte[3]);
      for (FrameReader frames : both) {
        WatchOutput one = frames.next();
        assertThat(sizes(one)).containsExactly(3, -1);
        assertThat(one.getKeysList()).allMatch(key -> key.getChanged());
      }
      set(B, new byte[5]);
      for (FrameReader frames : both) {
        assertThat(sizes(frames.next())).containsExactly(3, 5);
      }
      for (FrameReader frames : both) {
        frames.awaitPing();
      }
      site.kv.delete(A).block(TestServer.TIMEOUT);
      for (FrameReader frames : both) {
        assertThat(sizes(frames.next())).containsExactly(-1, 5);
      }
      site.lifecycle.drain();
      for (FrameReader frames : both) {
        frames.awaitEnd();
      }
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = HttpVersion.class,
      names = {"HTTP_1_1", "HTTP_2"})
  void endsWhenTheCallerDisconnects(HttpVersion version) throws Exception {
    try (var client = new ConnectClient(site, version, "all")) {
      HttpClientResponse response = ConnectClient.await(begin(client, A));
      try (FrameReader frames = new FrameReader(response)) {
        frames.next();
        assertThat(site.lifecycle.underWay()).isEqualTo(1);
      }
    }
    Conditions.await(() -> site.lifecycle.underWay() == 0);
  }

  @Test
  void endsWhenTheTokenExpires() throws Exception {
    try (var client = new ConnectClient(site, HttpVersion.HTTP_2, "brief")) {
      HttpClientResponse response = ConnectClient.await(begin(client, A));
      assertThat(response.statusCode()).isEqualTo(200);
      try (FrameReader frames = new FrameReader(response)) {
        assertThat(frames.untilEnd()).isLessThan(2); // zero if the first state was late
        assertThat(Instant.now()).isAfterOrEqualTo(end);
      }
    }
  }

  /**
   * A client that has not read for a while gets only a few of thousands of large states, and the
   * newest.
   */
  @ParameterizedTest
  @EnumSource(
      value = HttpVersion.class,
      names = {"HTTP_1_1", "HTTP_2"})
  void sendsTheNewestStateToASlowReader(HttpVersion version) throws Exception {
    int states = Tries.of(400, 1000);
    try (var client = new ConnectClient(site, version, "all")) {
      HttpClientResponse response = ConnectClient.await(begin(client, A));
      for (int i = 1; i <= states; i++) {
        set(A, new byte[100_000 + i]);
      }
      try (FrameReader frames = new FrameReader(response)) {
        int read = 0;
        int last = -2; // absent is -1
        while (last != 100_000 + states) {
          int size = sizes(frames.next()).get(0);
          assertThat(size).isGreaterThan(last);
          last = size;
          read++;
        }
        assertThat(read).isLessThan(states / 2);
      }
    }
  }

  @Test
  void removesACancelledWatch() throws Exception {
    try (var client = new ConnectClient(site, HttpVersion.HTTP_2, "all")) {
      FrameReader frames = new FrameReader(ConnectClient.await(begin(client, A)));
      frames.next();
      Conditions.await(() -> watches() == 1); // the first state may come before it is counted
      frames.close();
      Conditions.await(() -> watches() == 0);
    }
  }

  private long watches() {
    return site.kv
        .admin()
        .stats()
        .map(stats -> (long) stats.readers().watches())
        .block(TestServer.TIMEOUT);
  }

  @Test
  void rejectsStatesTooLargeForAFrame() {
    for (KvKey key : List.of(A, B, KvKey.of("c"))) {
      set(key, new byte[6 << 20]);
    }
    try (var client = new ConnectClient(site, HttpVersion.HTTP_2, "all")) {
      HttpClientResponse response = ConnectClient.await(begin(client, A, B, KvKey.of("c")));
      assertThat(response.statusCode()).isEqualTo(400);
    }
  }
}
