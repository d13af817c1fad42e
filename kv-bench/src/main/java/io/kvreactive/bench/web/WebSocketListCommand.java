package io.kvreactive.bench.web;

import io.kvreactive.bench.Machine;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.WebSocket;
import io.vertx.core.http.WebSocketClient;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures the rate of a long list over a WebSocket to one client. */
@Command(
    name = "websocket-list",
    mixinStandardHelpOptions = true,
    description = "Entries per second of a list over a WebSocket, to one client.")
public final class WebSocketListCommand implements Callable<Integer> {
  private static final byte[] KEY = "{\"key\":".getBytes(StandardCharsets.US_ASCII);

  @Option(names = "--entries", description = "Entries to list (default: ${DEFAULT-VALUE}).")
  private int entries = 1_000_000;

  @Option(names = "--rounds", description = "Number of lists (default: ${DEFAULT-VALUE}).")
  private int rounds = 6;

  @Option(names = "--heap", description = "-Xmx of the server (default: ${DEFAULT-VALUE}).")
  private String heap = "1g";

  @Option(names = "--dir", description = "Directory for the stores (default: ${DEFAULT-VALUE}).")
  private Path directory = Path.of("target", "bench");

  /** Counts entries without parsing them, so that the server is measured and not the client. */
  private static final class Counter {
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private long entries;
    private long bytes;

    void frame(Buffer frame) {
      byte[] json = frame.getBytes();
      bytes += json.length;
      for (int i = 0; i + KEY.length <= json.length; i++) {
        if (json[i] == '{'
            && java.util.Arrays.equals(json, i, i + KEY.length, KEY, 0, KEY.length)) {
          entries++;
          i += KEY.length;
        }
      }
      if (json.length < 100 && new String(json, StandardCharsets.UTF_8).contains("\"end\"")) {
        ended.complete(null);
      }
    }
  }

  @Override
  public Integer call() throws IOException {
    Vertx vertx = Vertx.vertx();
    try (StreamServerProcess server = new StreamServerProcess(directory, heap)) {
      System.out.println(server.request("load " + entries));
      WebSocketClient client = Streams.client(vertx, 1);
      for (int round = 0; round < rounds; round++) {
        WebSocket socket = Streams.connect(client, server.port()).await();
        Counter counter = new Counter();
        long start = System.nanoTime();
        socket.handler(counter::frame);
        socket.writeTextMessage(
            "{\"op\":\"list\",\"id\":1,\"prefix\":[\"users\"],\"credit\":1000000000000}");
        counter.ended.join();
        double seconds = (System.nanoTime() - start) / 1e9;
        System.out.printf(
            Locale.ROOT,
            "%,d entries, %,d bytes: %,.0f entries/s, %.0f MB/s%n",
            counter.entries,
            counter.bytes,
            counter.entries / seconds,
            counter.bytes / seconds / 1e6);
        socket.close().await();
      }
      client.close().await();
      System.out.println(Machine.describe(directory));
    } finally {
      vertx.close().await();
    }
    return 0;
  }
}
