package io.kvreactive.bench.web;

import io.kvreactive.bench.Machine;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.WebSocket;
import io.vertx.core.http.WebSocketClient;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures many WebSockets that watch keys: the heap of each, and the latency of updates. */
@Command(
    name = "watchers",
    mixinStandardHelpOptions = true,
    description = "Heap of many WebSocket watchers, and the time from a commit to its frame.")
public final class WatchersCommand implements Callable<Integer> {
  private static final int AT_A_TIME = 100;

  @Option(names = "--watchers", description = "Connections (default: ${DEFAULT-VALUE}).")
  private int watchers = 10_000;

  @Option(
      names = "--keys",
      description =
          "Watched keys, each with the same number of watchers (default: ${DEFAULT-VALUE}).")
  private int keys = 1_000;

  @Option(names = "--rate", description = "Commits per second (default: ${DEFAULT-VALUE}).")
  private int rate = 1_000;

  @Option(names = "--seconds", description = "Seconds measured (default: ${DEFAULT-VALUE}).")
  private int seconds = 15;

  @Option(names = "--heap", description = "-Xmx of the server (default: ${DEFAULT-VALUE}).")
  private String heap = "1g";

  @Option(names = "--pause", description = "Seconds to pause, to inspect the server's heap.")
  private int pause;

  @Option(names = "--dir", description = "Directory for the stores (default: ${DEFAULT-VALUE}).")
  private Path directory = Path.of("target", "bench");

  private final LongAdder frames = new LongAdder();
  private final LongAdder lost = new LongAdder();
  private final Recorder micros = new Recorder(3);

  @Override
  public Integer call() throws IOException {
    Vertx vertx = Vertx.vertx();
    try (StreamServerProcess server = new StreamServerProcess(directory, heap)) {
      System.out.println("server: pid " + server.pid());
      server.request("load 20000");
      WebSocketClient client = Streams.client(vertx, watchers + 600);
      connect(client, server.port(), 500, 0); // creates objects that are created once
      server.request("commit " + keys + " " + rate + " 2");
      long before = server.heapBytes();
      long quiet = frames.sum();
      List<WebSocket> all = connect(client, server.port(), watchers, 500);
      awaitFrames(quiet + watchers);
      long after = server.heapBytes();
      print("heap per watcher, KB", (after - before) / 1024.0 / watchers);
      LockSupport.parkNanos(pause * 1_000_000_000L);
      slow(client, server.port());
      server.request("commit " + keys + " " + rate + " 5"); // warms up
      Histogram unused = micros.getIntervalHistogram();
      long emitted = frames.sum();
      server.request("commit " + keys + " " + rate + " " + seconds);
      LockSupport.parkNanos(2_000_000_000L);
      Histogram histogram = micros.getIntervalHistogram();
      print("frames/s", (frames.sum() - emitted) / (double) seconds);
      print("p50, ms", histogram.getValueAtPercentile(50) / 1e3);
      print("p99, ms", histogram.getValueAtPercentile(99) / 1e3);
      print("max, ms", histogram.getMaxValue() / 1e3);
      print("heap with traffic, MB", server.heapBytes() / 1024.0 / 1024);
      long gone = lost.sum();
      print("connections lost", (double) gone);
      print("still open", (double) all.stream().filter(socket -> !socket.isClosed()).count());
      System.out.println(Machine.describe(directory));
      vertx.close().await();
      return gone == 0 ? 0 : 1; // the server promises to keep them
    }
  }

  private List<WebSocket> connect(WebSocketClient client, int port, int count, int from) {
    List<WebSocket> all = new ArrayList<>();
    for (int done = 0; done < count; done += AT_A_TIME) {
      List<Future<WebSocket>> some = new ArrayList<>();
      for (int i = done; i < Math.min(done + AT_A_TIME, count); i++) {
        int key = (from + i) % keys;
        some.add(Streams.connect(client, port).onSuccess(socket -> watch(socket, key)));
      }
      for (Future<WebSocket> socket : some) {
        all.add(socket.await());
      }
    }
    return all;
  }

  private void watch(WebSocket socket, int key) {
    socket.textMessageHandler(this::onFrame);
    socket.closeHandler(closed -> lost.increment());
    socket.writeTextMessage(
        "{\"op\":\"watch\",\"id\":1,\"keys\":[[\"watched\"," + key + "]],\"credit\":1000000000}");
  }

  private void onFrame(String frame) {
    frames.increment();
    int at = frame.indexOf("\"value\":") + 8;
    if (frame.charAt(at) != 'n') {
      int end = frame.indexOf(',', at);
      long then = (long) Double.parseDouble(frame.substring(at, end));
      long now = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
      micros.recordValue(Math.max(0, now - then));
    }
  }

  /** Opens a connection that requests much and reads nothing. */
  private static void slow(WebSocketClient client, int port) {
    WebSocket socket = Streams.connect(client, port).await();
    socket.pause();
    for (int i = 0; i < 100; i++) {
      socket.writeTextMessage(
          "{\"op\":\"list\",\"id\":" + i + ",\"prefix\":[\"users\"],\"credit\":1000000000}");
    }
  }

  private void awaitFrames(long count) {
    while (frames.sum() < count) {
      LockSupport.parkNanos(10_000_000);
    }
  }

  private static void print(String what, double value) {
    System.out.printf(Locale.ROOT, "%-28s %,12.2f%n", what, value);
  }
}
