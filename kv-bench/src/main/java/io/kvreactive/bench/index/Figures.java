package io.kvreactive.bench.index;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/** The results of all rounds, in calls or items per second, and their table. */
final class Figures {
  private record Pair(double ours, double against) {}

  private final Map<Measure, List<Pair>> pairs = new EnumMap<>(Measure.class);
  private final Map<BenchDatabase, Map<Measure, List<Double>>> others =
      new EnumMap<>(BenchDatabase.class);

  /**
   * Adds a round: our rate and the rate to compare with, which were measured one after the other.
   */
  void add(Measure measure, double ours, double against) {
    pairs.computeIfAbsent(measure, m -> new ArrayList<>()).add(new Pair(ours, against));
  }

  void add(BenchDatabase database, Measure measure, double value) {
    others
        .computeIfAbsent(database, d -> new EnumMap<>(Measure.class))
        .computeIfAbsent(measure, m -> new ArrayList<>())
        .add(value);
  }

  /** Returns true if every measure reached its target. */
  boolean reached() {
    return pairs.keySet().stream().allMatch(measure -> ratio(measure) >= measure.target);
  }

  /**
   * Returns the median of the ratios of each round. A slow period of the machine affects both sides
   * of a round.
   */
  double ratio(Measure measure) {
    return median(
        pairs.getOrDefault(measure, List.of()).stream()
            .map(pair -> pair.ours() / pair.against())
            .toList());
  }

  private static double median(List<Double> values) {
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    int half = sorted.length / 2;
    return sorted.length == 0
        ? Double.NaN
        : sorted.length % 2 == 1
            ? sorted[half]
            : Arrays.stream(sorted, half - 1, half + 1).average().orElseThrow();
  }

  /** Returns the table of the median rates per second. */
  String table() {
    Set<BenchDatabase> databases = others.keySet();
    String column = " %10s %7s";
    StringBuilder table = new StringBuilder();
    table.append(
        "%-33s %10s %10s %-13s %8s %8s %-6s"
            .formatted("per second", "kv-documents", "against", "", "ratio", "target", ""));
    databases.forEach(database -> table.append(column.formatted(database.title, "ratio")));
    table.append('\n');
    pairs.forEach(
        (measure, rounds) -> {
          double ratio = ratio(measure);
          table.append(
              "%-33s %10s %10s %-13s %8s %8s %-6s"
                  .formatted(
                      measure.title,
                      rate(median(rounds.stream().map(Pair::ours).toList())),
                      rate(median(rounds.stream().map(Pair::against).toList())),
                      measure.against,
                      times(ratio),
                      measure.target == 0 ? "" : times(measure.target),
                      measure.target == 0 ? "" : ratio >= measure.target ? "ok" : "MISSED"));
          databases.forEach(
              database -> {
                List<Double> rates = rates(database, measure);
                table.append(column.formatted(rate(median(rates)), times(ratio(measure, rates))));
              });
          table.append('\n');
        });
    return table.toString();
  }

  private List<Double> rates(BenchDatabase database, Measure measure) {
    return others.getOrDefault(database, Map.of()).getOrDefault(measure, List.of());
  }

  /** Returns the median of the ratios of each round to a database. */
  private double ratio(Measure measure, List<Double> rates) {
    List<Pair> ours = pairs.getOrDefault(measure, List.of());
    return median(
        IntStream.range(0, Math.min(ours.size(), rates.size()))
            .mapToObj(round -> ours.get(round).ours() / rates.get(round))
            .toList());
  }

  private static String rate(double value) {
    String layout = value < 100 ? "%,.2f" : "%,.0f";
    return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, layout, value);
  }

  private static String times(double ratio) {
    String layout = ratio < 10 ? "%.2fx" : "%.0fx";
    return Double.isNaN(ratio) ? "-" : String.format(Locale.ROOT, layout, ratio);
  }
}
