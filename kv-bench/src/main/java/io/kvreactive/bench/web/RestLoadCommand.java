package io.kvreactive.bench.web;

import io.kvreactive.bench.ChildServer;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import java.net.URI;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * A load generator in a JVM of its own, for machines without wrk. Keeps one pending request on each
 * connection, and prints the rate and the 99th percentile of the latency.
 */
@Command(name = RestLoadCommand.NAME, hidden = true)
public final class RestLoadCommand implements Callable<Integer> {
  static final String NAME = "rest-load";

  @Option(names = "--url", required = true)
  private URI url = URI.create("http://127.0.0.1");

  @Option(names = "--scenario", required = true)
  private RestScenario scenario = RestScenario.ENTRY_GET;

  @Option(names = "--connections", required = true)
  private int connections;

  @Option(names = "--seconds", required = true)
  private double seconds;

  @Option(names = "--first", required = true)
  private long next;

  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private final Histogram latencies = new Histogram(TimeUnit.MINUTES.toNanos(1), 3);
  private int open;
  private long endsAt;

  /**
   * Runs the load. All requests are sent from one event loop, which alone accesses the counters.
   */
  @Override
  public Integer call() throws Exception {
    Vertx vertx = Vertx.vertx();
    long started = System.nanoTime();
    endsAt = started + (long) (seconds * 1e9);
    vertx.runOnContext(
        begin -> {
          HttpClient client =
              vertx.createHttpClient(
                  new HttpClientOptions()
                      .setDefaultHost(url.getHost())
                      .setDefaultPort(url.getPort()),
                  new PoolOptions().setHttp1MaxSize(connections).setEventLoopSize(1));
          open = connections;
          for (int i = 0; i < connections; i++) {
            send(client);
          }
        });
    ended.get((long) seconds + 60, TimeUnit.SECONDS);
    double elapsed = (System.nanoTime() - started) / 1e9;
    System.out.printf(
        Locale.ROOT,
        "%.0f %.3f%n",
        latencies.getTotalCount() / elapsed,
        latencies.getValueAtPercentile(99) / 1e6);
    vertx.close().await(1, TimeUnit.MINUTES);
    return 0;
  }

  private void send(HttpClient client) {
    long began = System.nanoTime();
    if (began >= endsAt) {
      if (--open == 0) {
        ended.complete(null);
      }
      return;
    }
    long number = ++next;
    long asked = scenario.isCreating() ? number : number % RestScenario.LOADED;
    client
        .request(
            new RequestOptions()
                .setMethod(HttpMethod.valueOf(scenario.method))
                .setURI(scenario.path(asked)))
        .compose(request -> answered(request, scenario.body(asked)))
        .onSuccess(
            status -> {
              if (status != scenario.status) {
                ended.completeExceptionally(
                    new IllegalStateException(scenario.title + " was answered with " + status));
                return;
              }
              latencies.recordValue(System.nanoTime() - began);
              send(client);
            })
        .onFailure(ended::completeExceptionally);
  }

  private io.vertx.core.Future<Integer> answered(HttpClientRequest request, String body) {
    return request
        .putHeader("Authorization", "Bearer " + ChildServer.TOKEN)
        .putHeader("Content-Type", "application/json")
        .send(body)
        .compose(response -> response.end().map(end -> response.statusCode()));
  }
}
