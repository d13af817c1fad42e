package io.kvreactive.bench.web;

import io.kvreactive.bench.ChildServer;
import io.vertx.core.Future;
import io.vertx.core.Promise;
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
import java.util.function.LongFunction;
import org.HdrHistogram.Histogram;
import org.reactivestreams.Publisher;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import reactor.core.publisher.Flux;

/**
 * A load generator in a JVM of its own, for machines without wrk. Keeps one pending request on each
 * connection. After a warm-up, measures and prints the rate, the 99th percentile of the latency in
 * milliseconds, and the microseconds of CPU time per request of this process and of the server.
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

  @Option(names = "--warm-up", required = true)
  private double warmUp;

  @Option(names = "--server", required = true)
  private long server;

  @Option(names = "--first", required = true)
  private long next;

  @Option(names = "--java-client")
  private boolean javaClient;

  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private final Histogram latencies = new Histogram(TimeUnit.MINUTES.toNanos(1), 3);
  private int open;
  private long measuresFrom;
  private long endsAt;
  private boolean measures;
  private long startNanos;
  private Cpu start = new Cpu(0, 0);

  /** The CPU time in nanoseconds that the two processes have used. */
  private record Cpu(long own, long server) {
    static Cpu of(long server) {
      return new Cpu(nanos(ProcessHandle.current()), nanos(ProcessHandle.of(server).orElseThrow()));
    }

    private static long nanos(ProcessHandle process) {
      return process.info().totalCpuDuration().orElseThrow().toNanos();
    }
  }

  /**
   * Runs the load. All requests are sent from one event loop, which alone accesses the counters.
   */
  @Override
  public Integer call() throws Exception {
    Vertx vertx = Vertx.vertx();
    JavaClientLoad client =
        javaClient ? JavaClientLoad.connect(vertx, url.toString(), scenario) : null;
    measuresFrom = System.nanoTime() + (long) (warmUp * 1e9);
    endsAt = measuresFrom + (long) (seconds * 1e9);
    vertx.runOnContext(
        begin -> {
          LongFunction<Future<?>> requests =
              client == null ? raw(vertx) : number -> completed(client.request(number));
          open = connections;
          for (int i = 0; i < connections; i++) {
            send(requests);
          }
        });
    ended.get((long) (warmUp + seconds) + 60, TimeUnit.SECONDS);
    double elapsed = (System.nanoTime() - startNanos) / 1e9;
    Cpu end = Cpu.of(server);
    long requests = latencies.getTotalCount();
    System.out.printf(
        Locale.ROOT,
        "%.0f %.3f %.1f %.1f%n",
        requests / elapsed,
        latencies.getValueAtPercentile(99) / 1e6,
        (end.own() - start.own()) / 1e3 / requests,
        (end.server() - start.server()) / 1e3 / requests);
    vertx.close().await(1, TimeUnit.MINUTES);
    return 0;
  }

  private static Future<Void> completed(Publisher<?> answer) {
    Promise<Void> promise = Promise.promise();
    Flux.from(answer).subscribe(element -> {}, promise::fail, promise::complete);
    return promise.future();
  }

  private LongFunction<Future<?>> raw(Vertx vertx) {
    HttpClient client =
        vertx.createHttpClient(
            new HttpClientOptions().setDefaultHost(url.getHost()).setDefaultPort(url.getPort()),
            new PoolOptions().setHttp1MaxSize(connections).setEventLoopSize(1));
    return number ->
        client
            .request(
                new RequestOptions()
                    .setMethod(HttpMethod.valueOf(scenario.method))
                    .setURI(scenario.path(number)))
            .compose(request -> answered(request, scenario.body(number)));
  }

  private void send(LongFunction<Future<?>> requests) {
    long began = System.nanoTime();
    if (began >= endsAt) {
      if (--open == 0) {
        ended.complete(null);
      }
      return;
    }
    if (!measures && began >= measuresFrom) {
      measures = true;
      latencies.reset();
      startNanos = began;
      start = Cpu.of(server);
    }
    long number = ++next;
    requests
        .apply(scenario.isCreating() ? number : number % RestScenario.LOADED)
        .onSuccess(
            done -> {
              latencies.recordValue(System.nanoTime() - began);
              send(requests);
            })
        .onFailure(ended::completeExceptionally);
  }

  private Future<Void> answered(HttpClientRequest request, String body) {
    return request
        .putHeader("Authorization", "Bearer " + ChildServer.TOKEN)
        .putHeader("Content-Type", "application/json")
        .send(body)
        .compose(
            response ->
                response.statusCode() == scenario.status
                    ? response.end()
                    : Future.failedFuture(
                        scenario.title + " was answered with " + response.statusCode()));
  }
}
