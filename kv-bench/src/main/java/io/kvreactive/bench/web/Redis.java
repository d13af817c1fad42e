package io.kvreactive.bench.web;

import io.kvreactive.bench.ChildJvm;
import io.kvreactive.bench.Directories;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** Redis with an append-only file that is synced at every write, and its load generator. */
final class Redis {
  private static final int REQUESTS = 200_000;
  private static final int KEYS = 10_000;
  private static final int VALUE_BYTES = 100;

  /** A rate per second and the 99th percentile of the latency in milliseconds. */
  record Figure(double rate, double p99) {}

  private Redis() {}

  /** Returns true if a program is installed in a directory of PATH. */
  static boolean isInstalled(String program) {
    return Pattern.compile(Pattern.quote(File.pathSeparator))
        .splitAsStream(System.getenv("PATH"))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
  }

  /** Measures sets and gets with one pending request on each connection. */
  static Map<String, Figure> measure(Path parent, int connections)
      throws IOException, InterruptedException {
    Path directory = Directories.fresh(parent, "redis");
    int port = freePort();
    Process server =
        new ProcessBuilder(
                List.of(
                    "redis-server",
                    "--port",
                    Integer.toString(port),
                    "--dir",
                    directory.toString(),
                    "--save",
                    "",
                    "--appendonly",
                    "yes",
                    "--appendfsync",
                    "always"))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      awaitPort(port, server);
      return figures(
          ChildJvm.lines(
              new ProcessBuilder(
                      List.of(
                          "redis-benchmark",
                          "-p",
                          Integer.toString(port),
                          "-c",
                          Integer.toString(connections),
                          "-n",
                          Integer.toString(REQUESTS),
                          "-r",
                          Integer.toString(KEYS),
                          "-d",
                          Integer.toString(VALUE_BYTES),
                          "-t",
                          "set,get",
                          "--csv"))
                  .start(),
              "redis-benchmark"));
    } finally {
      server.destroy();
      server.waitFor(1, TimeUnit.MINUTES);
      Directories.remove(directory);
    }
  }

  /**
   * Parses lines such as {@code "SET","12345.67",avg,min,p50,p95,p99,max}, which follow a line of
   * titles.
   */
  private static Map<String, Figure> figures(List<String> lines) {
    Map<String, Figure> figures = new LinkedHashMap<>();
    for (String line : lines.subList(1, lines.size())) {
      String[] fields = line.replace("\"", "").split(",", -1);
      figures.put(
          fields[0], new Figure(Double.parseDouble(fields[1]), Double.parseDouble(fields[6])));
    }
    return figures;
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  private static void awaitPort(int port, Process server) throws IOException, InterruptedException {
    for (int attempt = 0; attempt < 100 && server.isAlive(); attempt++) {
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
        if (socket.isConnected()) {
          return;
        }
      } catch (IOException e) {
        TimeUnit.MILLISECONDS.sleep(50);
      }
    }
    throw new IOException("redis-server does not listen on port " + port);
  }
}
