package io.kvreactive.web.internal.stream;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.testing.Tries;
import io.kvreactive.web.StreamOptions;
import io.kvreactive.web.internal.auth.Grant;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Clients that read nothing, or little. */
@ExtendWith(VertxExtension.class)
class StreamSlowTest {
  private static final Duration LONG = Duration.ofMinutes(10);
  private static final StreamOptions PATIENT = StreamOptions.DEFAULT.withTimes(LONG, LONG, LONG);
  private static final String LARGE = "x".repeat(10_000);
  private static Vertx vertx;

  @BeforeAll
  static void use(Vertx vertx) {
    StreamSlowTest.vertx = vertx;
  }

  private static StreamServer start(StreamOptions options) {
    return StreamServer.start(vertx, token -> Grant.all("all"), options);
  }

  private static void untilItIsFull(StreamServer server) {
    int least = StreamOptions.DEFAULT.queueBytes() - 2 * StreamSocket.FRAME_BYTES;
    StreamServer.until(() -> server.gauge("waiting") > least);
  }

  @Test
  void delayOnlyThemselves() throws IOException {
    try (StreamServer server = start(PATIENT);
        RawPeer slow = new RawPeer(server.port());
        StreamClient fast = server.connect()) {
      server.fill("n", 2_000, LARGE);
      for (int i = 0; i < 20; i++) {
        slow.say("{'op':'list','id':" + i + ",'prefix':['n'],'credit':100000}");
      }
      slow.say("{'op':'changes','id':20,'prefix':['c'],'credit':100000,'list':true}");
      slow.say("{'op':'watch','id':21,'keys':[['c',1]],'credit':100000}");
      untilItIsFull(server);
      fast.say("{'op':'changes','id':1,'prefix':['c'],'credit':100000}");
      fast.next("bookmark");
      for (int i = 0; i < 300; i++) {
        server.set(LARGE, "c", i % 10);
        fast.next("commit");
        assertThat(server.gauge("waiting")) // of both
            .isLessThanOrEqualTo(PATIENT.queueBytes() + 2L * LARGE.length());
      }
      fast.say("{'op':'list','id':2,'prefix':['n'],'credit':100000}");
      assertThat(StreamTest.entries(fast.until("end"))).isEqualTo(2_000);
    }
  }

  @Test
  void getTheNewestStateAndEveryCommitLater() throws IOException {
    try (StreamServer server = start(PATIENT);
        RawPeer slow = new RawPeer(server.port())) {
      slow.say("{'op':'watch','id':1,'keys':[['c',0]],'credit':100000}");
      slow.say("{'op':'changes','id':2,'prefix':['c'],'credit':100000}");
      assertThat(slow.next()).isNotNull();
      assertThat(slow.next()).isNotNull();
      for (int i = 0; i < 1_000; i++) { // 20 MB of commits and states
        server.set(i + LARGE, "c", i % 2);
      }
      untilItIsFull(server);
      List<Integer> commits = new ArrayList<>();
      int states = 0;
      int state = -1;
      while (commits.size() < 1_000 || state < 998) {
        JsonNode frame = slow.next();
        assertThat(frame).isNotNull();
        if (frame.get("type").asText().equals("state")) {
          int before = state;
          state = number(frame.get("entries").get(0));
          assertThat(state).isGreaterThan(before);
          states++;
        } else if (frame.get("type").asText().equals("commit")) {
          commits.add(number(frame.get("changes").get(0)));
        }
      }
      assertThat(commits).containsExactlyElementsOf(IntStream.range(0, 1_000).boxed().toList());
      assertThat(states).isLessThan(400);
    }
  }

  private static int number(JsonNode entry) {
    String value = entry.get("value").asText();
    return Integer.parseInt(value.substring(0, value.indexOf('x')));
  }

  @Test
  void learnTheReasonWhenTheyReadAgainAndAreClosedOtherwise() throws IOException {
    try (StreamServer server = start(PATIENT.withTimes(LONG, Duration.ofMillis(100), LONG))) {
      server.fill("n", 2_000, LARGE);
      StreamServer.until(
          () -> learnsTheReason(server)); // repeated with another client if this one was too late
      StreamServer.until(() -> server.gauge("connections") == 0);
      try (RawPeer gone = new RawPeer(server.port())) {
        gone.say("{'op':'list','id':1,'prefix':['n'],'credit':100000}");
        assertThat(gone.next()).isNotNull(); // and no more
        StreamServer.until(() -> server.gauge("subscriptions") == 0); // it was aborted
        StreamServer.until(() -> server.gauge("connections") == 0); // and cut
        StreamServer.until(
            () -> server.gauge("waiting") == 0); // its last writes fail after the close
      }
    }
  }

  /** Returns true if an aborted client read its pending messages in time and learned the reason. */
  private static boolean learnsTheReason(StreamServer server) {
    try (RawPeer back = new RawPeer(server.port())) {
      back.say("{'op':'changes','id':2,'prefix':['c'],'credit':100000}");
      JsonNode last = back.next();
      back.say("{'op':'list','id':1,'prefix':['n'],'credit':100000}");
      StreamServer.until(() -> server.gauge("subscriptions") == 0);
      for (JsonNode frame = last; frame != null; frame = back.next()) {
        last = frame;
      }
      if (back.closeCode() == 0) {
        return false; // it was cut
      }
      assertThat(last.get("type").asText()).isEqualTo("goingAway");
      assertThat(last.get("resume").has("2")).isTrue();
      assertThat(back.closeCode()).isEqualTo(4408);
      return true;
    } catch (IOException e) { // the connection was cut in the middle of a frame
      return false;
    }
  }

  @Test
  void areNotReadFromWhileTheyReadNoAnswers() throws Exception {
    try (StreamServer server = start(PATIENT);
        RawPeer rude = new RawPeer(server.port());
        StreamClient fast = server.connect()) {
      AtomicLong said = new AtomicLong();
      Thread asking =
          new Thread(
              () -> {
                try {
                  for (int i = 0; i < 10_000_000; i++) {
                    rude.say("{'op':'ping'}");
                    rude.ping();
                    said.incrementAndGet();
                  }
                } catch (SocketException e) {
                  // the test is over
                } catch (IOException e) {
                  throw new AssertionError(e);
                }
              });
      asking.start();
      long before;
      do { // until sending blocks because the server stops reading
        before = said.get();
        for (int i = 0; i < 200; i++) {
          fast.untilPong();
          assertThat(server.gauge("waiting")).isLessThan(2L * PATIENT.queueBytes());
        }
      } while (before == 0 || said.get() > before);
      rude.shutDown();
      asking.join(StreamServer.TIMEOUT.toMillis());
      assertThat(asking.isAlive()).isFalse();
      StreamServer.until(() -> server.gauge("waiting") == 0);
    }
  }

  @Test
  void areClosedWhenTheyAnswerNoPings() throws IOException {
    try (StreamServer server = start(PATIENT.withTimes(Duration.ofMillis(100), LONG, LONG));
        RawPeer dead = new RawPeer(server.port())) { // does not answer pings
      assertThat(dead.next()).isNull();
      assertThat(dead.closeCode()).isZero(); // a close frame would not be read
      StreamServer.until(() -> server.gauge("connections") == 0);
    }
  }

  @Test
  void doNotDelayOtherClients() throws IOException {
    int many = Tries.of(100, 300);
    List<StreamClient> clients = new ArrayList<>();
    try (StreamServer server = start(PATIENT);
        RawPeer slow = new RawPeer(server.port())) {
      server.fill("n", 2_000, LARGE);
      slow.say("{'op':'list','id':1,'prefix':['n'],'credit':100000}");
      for (int i = 0; i < many; i++) {
        StreamClient client = server.connect();
        clients.add(client);
        client.say("{'op':'watch','id':1,'keys':[['k'," + i % 10 + "]],'credit':100000}");
        client.next("state");
      }
      untilItIsFull(server);
      for (int round = 0; round < 5; round++) {
        for (int i = 0; i < 10; i++) {
          server.set(round, "k", i);
        }
        for (StreamClient client : clients) {
          assertThat(client.next("state").get("entries").get(0).get("value").asInt())
              .isEqualTo(round);
        }
      }
      assertThat(server.gauge("connections")).isEqualTo(many + 1L);
    } finally {
      clients.forEach(StreamClient::close);
    }
  }
}
