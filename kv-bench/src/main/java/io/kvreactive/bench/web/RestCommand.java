package io.kvreactive.bench.web;

import io.kvreactive.bench.ChildJvm;
import io.kvreactive.bench.ChildServer;
import io.kvreactive.bench.Directories;
import io.kvreactive.bench.Machine;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Measures requests of the REST interface with a server process and a load generator process, and
 * one pending request on each connection. Measures Redis in the same run if it is installed.
 */
@Command(
    name = "rest",
    mixinStandardHelpOptions = true,
    description =
        "Measures entries, documents and queries over REST, and Redis if it is installed.")
public final class RestCommand implements Callable<Integer> {
  private static final int LINES_PER_LOAD = 1000;

  /** The number of the first document to be created. Each run uses other numbers. */
  private static final long FIRST_CREATED = 1_000_000_000L;

  @Option(names = "--only", split = ",", description = "Requests: ${COMPLETION-CANDIDATES}.")
  private List<RestScenario> only = List.of();

  @Option(names = "--rounds", description = "Number of rounds (default: ${DEFAULT-VALUE}).")
  private int rounds = 3;

  @Option(
      names = "--seconds",
      description = "Seconds measured per request (default: ${DEFAULT-VALUE}).")
  private double seconds = 5;

  @Option(
      names = "--warm-up",
      description =
          "Seconds of warm-up of the server (default: ${DEFAULT-VALUE}). Load generators by Vert.x"
              + " are warmed up as long as they measure.")
  private double warmUp = 10;

  @Option(
      names = "--connections",
      description = "Number of connections (default: ${DEFAULT-VALUE}).")
  private int connections = 64;

  @Option(names = "--dir", description = "Directory for the stores (default: ${DEFAULT-VALUE}).")
  private Path directory = Path.of("target", "bench");

  @Option(names = "--heap", description = "-Xmx of the server (default: ${DEFAULT-VALUE}).")
  private String heap = "1g";

  @Option(names = "--no-wrk", description = "Generate load with Vert.x even if wrk is installed.")
  private boolean noWrk;

  @Option(
      names = "--java-client",
      description =
          "Also measure the Java client of collections, each round beside plain requests by Vert.x.")
  private boolean javaClient;

  @Option(
      names = "--class-path",
      description =
          "Class path of the server, such as that of another version (default: this program's).")
  private String classPath = System.getProperty("java.class.path");

  private final HttpClient client = HttpClient.newHttpClient();
  private long created = FIRST_CREATED;

  /**
   * The result of a run.
   *
   * @param rate the number of requests per second
   * @param p99 the 99th percentile of the latency in milliseconds
   * @param cpu the microseconds of CPU time per request of load generator and server; empty if not
   *     measured
   */
  private record Run(double rate, double p99, String cpu) {}

  @Override
  public Integer call() throws Exception {
    boolean wrk = !noWrk && Redis.isInstalled("wrk");
    Set<RestScenario> requested =
        only.isEmpty() ? EnumSet.allOf(RestScenario.class) : EnumSet.copyOf(only);
    Map<RestScenario, List<Run>> runs = new EnumMap<>(RestScenario.class);
    Map<RestScenario, List<Double>> clients = new EnumMap<>(RestScenario.class);
    List<Map<String, Redis.Figure>> redis = new ArrayList<>();
    Path store = Directories.fresh(directory, "rest");
    try (ChildServer server =
        new ChildServer(
            heap, classPath, List.of("server", "--dir=" + store, "--token=" + ChildServer.TOKEN))) {
      load(server.url());
      for (int round = 0; round <= rounds; round++) {
        for (RestScenario scenario : requested) {
          double duration = round == 0 ? warmUp : seconds;
          Run run = measure(server, scenario, wrk, duration);
          System.err.printf(
              Locale.ROOT,
              "%s %s: %,.0f/s, p99 %.2f ms%n",
              round == 0 ? "warm-up" : "round " + round,
              scenario.title,
              run.rate(),
              run.p99());
          if (round > 0) {
            runs.computeIfAbsent(scenario, s -> new ArrayList<>()).add(run);
          }
          if (javaClient && scenario.isOfDocuments()) {
            double ratio = clientRatio(server, scenario, duration);
            if (round > 0) {
              clients.computeIfAbsent(scenario, s -> new ArrayList<>()).add(ratio);
            }
          }
        }
      }
    } finally {
      Directories.remove(store);
    }
    if (Redis.isInstalled("redis-server") && Redis.isInstalled("redis-benchmark")) {
      for (int round = 0; round < rounds; round++) {
        redis.add(Redis.measure(directory, connections));
      }
    }
    System.out.println();
    System.out.print(table(runs, redis));
    clients.forEach(
        (scenario, ratios) ->
            System.out.printf(
                Locale.ROOT,
                "%s by the Java client: %.2f of the rate of plain requests by Vert.x%n",
                scenario.title,
                median(ratios.stream().mapToDouble(Double::doubleValue).toArray())));
    System.out.printf(
        "%s, the server with -Xmx%s, %d connections, load by %s%n",
        Machine.describe(directory), heap, connections, wrk ? "wrk" : "Vert.x");
    return 0;
  }

  private Run measure(ChildServer server, RestScenario scenario, boolean wrk, double duration)
      throws IOException {
    long first = created;
    created += FIRST_CREATED;
    return wrk
        ? wrk(server.url(), scenario, first, duration)
        : vertx(server, scenario, first, duration, List.of());
  }

  /** Returns the rate of the Java client relative to that of plain requests by Vert.x. */
  private double clientRatio(ChildServer server, RestScenario scenario, double duration)
      throws IOException {
    Run plain = vertx(server, scenario, created, duration, List.of());
    Run client =
        vertx(server, scenario, created + FIRST_CREATED, duration, List.of("--java-client"));
    created += 2 * FIRST_CREATED;
    System.err.printf(
        Locale.ROOT,
        "%s by the Java client: %,.0f/s, p99 %.2f ms%s; plain: %,.0f/s, p99 %.2f ms%s%n",
        scenario.title,
        client.rate(),
        client.p99(),
        client.cpu(),
        plain.rate(),
        plain.p99(),
        plain.cpu());
    return client.rate() / plain.rate();
  }

  private Run vertx(
      ChildServer server, RestScenario scenario, long first, double duration, List<String> more)
      throws IOException {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                RestLoadCommand.NAME,
                "--url=" + server.url(),
                "--server=" + server.pid(),
                "--scenario=" + scenario,
                "--connections=" + connections,
                String.format(Locale.ROOT, "--warm-up=%f", duration),
                String.format(Locale.ROOT, "--seconds=%f", duration),
                "--first=" + first));
    arguments.addAll(more);
    List<String> lines = ChildJvm.run(List.of(), arguments);
    String[] figures = lines.get(lines.size() - 1).split(" ", -1);
    return new Run(
        Double.parseDouble(figures[0]),
        Double.parseDouble(figures[1]),
        ", CPU %s µs + server %s µs".formatted(figures[2], figures[3]));
  }

  private Run wrk(String url, RestScenario scenario, long first, double duration)
      throws IOException {
    Path script = Files.createTempFile(directory, "wrk", ".lua");
    try {
      Files.writeString(script, scenario.wrkScript(ChildServer.TOKEN, first));
      Process process =
          new ProcessBuilder(
                  "wrk",
                  "--latency",
                  "-t1",
                  "-c" + connections,
                  "-d" + Math.max(1, Math.round(duration)) + "s",
                  "-s" + script,
                  url)
              .redirectErrorStream(true)
              .start();
      String out = String.join("\n", ChildJvm.lines(process, "wrk"));
      if (out.contains("Non-2xx") || out.contains("Socket errors")) {
        throw new IOException(scenario.title + " failed: " + out);
      }
      double rate = Double.parseDouble(found("Requests/sec: +([0-9.]+)", out).group(1));
      return new Run(rate, p99(out), "");
    } finally {
      Files.delete(script);
    }
  }

  private static double p99(String out) {
    Matcher found = found("99% +([0-9.]+)(us|ms|s)\\b", out);
    double value = Double.parseDouble(found.group(1));
    return switch (found.group(2)) {
      case "us" -> value / 1000;
      case "ms" -> value;
      default -> value * 1000;
    };
  }

  private static Matcher found(String pattern, String out) {
    Matcher matcher = Pattern.compile(pattern).matcher(out);
    if (!matcher.find()) {
      throw new IllegalStateException("no " + pattern + " in the output of wrk: " + out);
    }
    return matcher;
  }

  /** Stores the entries and items to be read. */
  private void load(String url) throws IOException, InterruptedException {
    send(url, "PUT", "/api/v1/collections/people", "application/json", "{}");
    for (int from = 0; from < RestScenario.LOADED; from += LINES_PER_LOAD) {
      send(
          url,
          "POST",
          "/api/v1/collections/people/load",
          "application/x-ndjson",
          IntStream.range(from, from + LINES_PER_LOAD)
              .mapToObj(RestScenario.ITEM_CREATE::body)
              .collect(Collectors.joining("\n")));
      for (int n = from; n < from + LINES_PER_LOAD; n++) {
        RestScenario set = RestScenario.ENTRY_SET;
        send(url, "PUT", set.path(n), "application/json", set.body(n));
      }
    }
  }

  private void send(String url, String method, String path, String type, String body)
      throws IOException, InterruptedException {
    HttpResponse<String> response =
        client.send(
            HttpRequest.newBuilder(URI.create(url + path))
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .header("Authorization", "Bearer " + ChildServer.TOKEN)
                .header("Content-Type", type)
                .build(),
            HttpResponse.BodyHandlers.ofString());
    if (response.statusCode() / 100 != 2) {
      throw new IOException(path + ": " + response.statusCode() + " " + response.body());
    }
  }

  private static String table(
      Map<RestScenario, List<Run>> runs, List<Map<String, Redis.Figure>> redis) {
    StringBuilder table = new StringBuilder();
    String layout = "%-18s %12s %12s %22s%n";
    table.append(layout.formatted("request", "per second", "p99", "of its plain request"));
    runs.forEach(
        (scenario, measured) ->
            table.append(
                layout.formatted(
                    scenario.title,
                    "%,.0f".formatted(median(measured.stream().mapToDouble(Run::rate).toArray())),
                    "%.2f ms".formatted(median(measured.stream().mapToDouble(Run::p99).toArray())),
                    ratios(scenario, measured, runs))));
    if (!redis.isEmpty()) {
      for (String operation : redis.get(0).keySet()) {
        List<Redis.Figure> figures =
            redis.stream().map(each -> each.get(operation)).filter(Objects::nonNull).toList();
        double[] rates = figures.stream().mapToDouble(Redis.Figure::rate).toArray();
        double[] p99 = figures.stream().mapToDouble(Redis.Figure::p99).toArray();
        table.append(
            layout.formatted(
                "redis " + operation.toLowerCase(Locale.ROOT),
                "%,.0f".formatted(median(rates)),
                "%.2f ms".formatted(median(p99)),
                ""));
      }
    }
    return table.toString();
  }

  /**
   * Returns the ratios of a request to its plain request: creates to sets, reads and queries to
   * gets. Rates and p99, as medians over rounds.
   */
  private static String ratios(
      RestScenario scenario, List<Run> measured, Map<RestScenario, List<Run>> runs) {
    RestScenario plain =
        scenario == RestScenario.ITEM_CREATE ? RestScenario.ENTRY_SET : RestScenario.ENTRY_GET;
    List<Run> base = runs.get(plain);
    if (base == null || scenario == plain || scenario == RestScenario.ENTRY_SET) {
      return "";
    }
    double[] rates = new double[measured.size()];
    double[] p99 = new double[measured.size()];
    for (int i = 0; i < rates.length; i++) {
      rates[i] = measured.get(i).rate() / base.get(i).rate();
      p99[i] = measured.get(i).p99() / base.get(i).p99();
    }
    return "%.2f, p99 %.2fx".formatted(median(rates), median(p99));
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int half = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  }
}
