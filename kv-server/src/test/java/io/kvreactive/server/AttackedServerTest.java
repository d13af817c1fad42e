package io.kvreactive.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.testing.Tries;
import io.kvreactive.web.Conditions;
import io.kvreactive.web.HalfOpenSockets;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server with default limits and little memory or few descriptors under attack, mostly without a
 * token. It answers other callers during the attack and is ready afterwards.
 */
@Timeout(300)
class AttackedServerTest {
  private static final Map<String, String> SMALL =
      Map.of("JAVA_TOOL_OPTIONS", "-Xmx256m -XX:+ExitOnOutOfMemoryError");

  @TempDir static Path directory;
  private static ServedProcess server; // with little memory

  @BeforeAll
  static void start() throws Exception {
    server = ServedProcess.with(SMALL, List.of(), directory.resolve("small"));
  }

  @AfterAll
  static void stop() throws IOException {
    server.close();
  }

  @Test
  void survivesEndlessHttp2Requests() throws Exception {
    try (WellBehavedClient client =
        WellBehavedClient.start(URI.create(server.url), ServedProcess.TOKEN)) {
      int port = server.port();
      StreamFlood.Outcome first = StreamFlood.unacknowledged(16, 1_500, 8_000).run(port);
      StreamFlood.wellBehaved(Tries.of(20, 60), 100, 15_000).run(port);
      StreamFlood.closedWindow(Tries.of(20, 60), 100, 15_000).run(port);
      assertThat(client.failures()).isEmpty();
      System.out.println("beside a flood of streams: " + client.summary());
      assertThat(server.send("GET", "/readyz", "").statusCode()).isEqualTo(200);
      assertThat(first.refused()).as("streams above the limit").isPositive();
    }
  }

  /** Each takes about 50 MB when it is parsed. */
  @Test
  void survivesLargeJsonFromManyCallers() throws Exception {
    String json =
        IntStream.range(0, 230_000)
            .mapToObj("\"k%06d\":{}"::formatted)
            .collect(Collectors.joining(",", "{", "}"));
    try (WellBehavedClient client =
        WellBehavedClient.start(URI.create(server.url), ServedProcess.TOKEN)) {
      Map<Integer, Integer> statuses = new ConcurrentHashMap<>();
      inParallel(
          24,
          i -> {
            for (int round = 0; round < Tries.of(2, 4); round++) {
              String path = "/api/v1/entry?key=%5B" + i + "%5D";
              statuses.merge(server.send("PUT", path, json).statusCode(), 1, Integer::sum);
            }
          });
      assertThat(client.failures()).isEmpty();
      System.out.println("beside large JSON: " + client.summary() + ", " + statuses);
      assertThat(statuses.keySet()).isSubsetOf(200, 503);
      Conditions.await( // a single one is accepted
          () -> server.send("PUT", "/api/v1/entry?key=%5B0%5D", json).statusCode() == 200);
      assertThat(server.send("GET", "/readyz", "").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void survivesSubscriptionsOfManyConnections() throws Exception {
    String key = "k".repeat(1_000);
    try (WellBehavedClient client =
        WellBehavedClient.start(URI.create(server.url), ServedProcess.TOKEN)) {
      List<Subscriber> subscribers = new CopyOnWriteArrayList<>();
      inParallel(
          100,
          i -> {
            Subscriber subscriber = Subscriber.connect();
            subscribers.add(subscriber);
            for (int id = 0; id < 1_000 && !subscriber.closed; id++) {
              subscriber.say(
                  "{\"op\":\"watch\",\"id\":%d,\"keys\":[[%d,\"%s\"]],\"credit\":1}"
                      .formatted(id, id, key));
            }
          });
      Conditions.await(() -> subscribers.stream().allMatch(Subscriber::isAnswered));
      assertThat(client.failures()).isEmpty();
      int taken = subscribers.stream().mapToInt(one -> one.taken.get()).sum();
      int refused = subscribers.stream().mapToInt(one -> one.refused.get()).sum();
      long closed = subscribers.stream().filter(one -> one.closed).count();
      System.out.println(
          "beside subscriptions: %s; %d taken, %d refused, %d connections closed"
              .formatted(client.summary(), taken, refused, closed));
      assertThat(taken).isGreaterThan(1_000);
      assertThat(refused + closed).isPositive();
      subscribers.forEach(one -> one.socket.abort());
      assertThat(server.send("GET", "/readyz", "").statusCode()).isEqualTo(200);
    }
  }

  /** A WebSocket that counts its subscriptions by their answers. */
  private static final class Subscriber implements WebSocket.Listener {
    final AtomicInteger taken = new AtomicInteger();
    final AtomicInteger refused = new AtomicInteger();
    private final StringBuilder text = new StringBuilder();
    private int said;
    volatile boolean closed;
    volatile WebSocket socket;

    static Subscriber connect() {
      Subscriber subscriber = new Subscriber();
      subscriber.socket =
          HttpClient.newHttpClient()
              .newWebSocketBuilder()
              .header("Authorization", "Bearer " + ServedProcess.TOKEN)
              .subprotocols("kv.v1")
              .buildAsync(
                  URI.create(server.url.replace("http", "ws") + "/api/v1/stream"), subscriber)
              .join();
      return subscriber;
    }

    void say(String message) {
      try {
        socket.sendText(message, true).join();
        said++;
      } catch (CompletionException e) {
        closed = true;
      }
    }

    boolean isAnswered() {
      return closed || taken.get() + refused.get() == said;
    }

    @Override
    public CompletionStage<?> onText(WebSocket from, CharSequence part, boolean last) {
      text.append(part);
      if (last) {
        (text.indexOf("OVERLOADED") < 0 ? taken : refused).incrementAndGet();
        text.setLength(0);
      }
      from.request(1);
      return null;
    }

    @Override
    public CompletionStage<?> onClose(WebSocket from, int code, String reason) {
      closed = true;
      return null;
    }

    @Override
    public void onError(WebSocket from, Throwable error) {
      closed = true;
    }
  }

  private interface Part {
    void run(int number) throws Exception;
  }

  private static void inParallel(int parts, Part part) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(parts);
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < parts; i++) {
        int number = i;
        running.add(
            threads.submit(
                () -> {
                  part.run(number);
                  return null;
                }));
      }
      for (Future<?> one : running) {
        one.get();
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void reservesDescriptorsForItsStores() throws Exception {
    List<String> few = List.of("bash", "-c", "ulimit -n 400 && exec \"$@\"", "bash");
    Path stores = directory.resolve("few");
    try (ServedProcess limited =
            ServedProcess.with(Map.of(), few, stores, "--header-timeout", "5m");
        WellBehavedClient client =
            WellBehavedClient.start(URI.create(limited.url), ServedProcess.TOKEN)) {
      limited.send("GET", "/livez", ""); // by a connection that remains open
      try (HalfOpenSockets sockets =
          HalfOpenSockets.open(limited.port(), 800, "GET /livez HTTP/1.1\r\nHost: loc")) {
        Conditions.await(() -> sockets.alive() <= 200);
        HttpResponse<String> made = // a database takes new descriptors
            limited.send("PUT", "/db/other/api/v1/entry?key=%5B1%5D", "1");
        assertThat(made.statusCode()).as(made.body()).isEqualTo(200);
      }
      assertThat(client.failures()).isEmpty();
      System.out.println("beside half-open sockets: " + client.summary());
      Conditions.await(() -> isReady(limited));
    }
  }

  private static boolean isReady(ServedProcess server) throws Exception {
    try {
      return server.send("GET", "/readyz", "").statusCode() == 200;
    } catch (IOException full) {
      return false; // until closed sockets are no longer counted
    }
  }
}
