package io.kvreactive.server;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A client with a token that writes and reads one entry repeatedly during an attack. */
public final class WellBehavedClient implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String ENTRY = "/api/v1/entry?key=%5B%22well-behaved%22%5D";
  private static final int PERCENT = 99;

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final URI server;
  private final String token;
  private final List<Long> nanos = Collections.synchronizedList(new ArrayList<>());
  private final List<String> failures = Collections.synchronizedList(new ArrayList<>());
  private final CompletableFuture<Void> done;
  private volatile boolean stopped;

  private WellBehavedClient(URI server, String token) {
    this.server = server;
    this.token = token;
    ask("PUT"); // the connection is open before the attack
    this.done = CompletableFuture.runAsync(this::run);
  }

  /** Starts sending requests in sequence. */
  public static WellBehavedClient start(URI server, String token) {
    return new WellBehavedClient(server, token);
  }

  private void run() {
    while (!stopped) {
      ask("PUT");
      ask("GET");
    }
  }

  private void ask(String method) {
    long began = System.nanoTime();
    try {
      HttpResponse<String> answer =
          client.send(
              HttpRequest.newBuilder(server.resolve(ENTRY))
                  .timeout(PATIENCE)
                  .header("Authorization", "Bearer " + token)
                  .header("Content-Type", "application/json")
                  .method(
                      method,
                      method.equals("GET")
                          ? HttpRequest.BodyPublishers.noBody()
                          : HttpRequest.BodyPublishers.ofString("1"))
                  .build(),
              HttpResponse.BodyHandlers.ofString());
      if (answer.statusCode() != 200) {
        failures.add(method + " " + answer.statusCode() + " " + answer.body());
      }
    } catch (Exception e) {
      failures.add(method + " " + e);
      stopped = true;
    }
    nanos.add(System.nanoTime() - began);
  }

  /** Stops, and returns the failed requests. */
  public List<String> failures() {
    stopped = true;
    done.join();
    return List.copyOf(failures);
  }

  /** Returns the number of requests that were answered, or have failed. */
  int count() {
    return nanos.size();
  }

  /** Returns the number of requests, and the 99th percentile of their times. */
  public String summary() {
    List<Long> sorted = new ArrayList<>(nanos);
    Collections.sort(sorted);
    long p99 = sorted.get((sorted.size() - 1) * PERCENT / 100);
    return "%d requests, p99 %.1f ms".formatted(sorted.size(), p99 / 1e6);
  }

  @Override
  public void close() {
    stopped = true;
    done.join();
  }
}
