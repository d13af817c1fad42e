package io.kvreactive.bench.compare;

import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The results of all rounds, and their table. */
final class Results {
  private final Map<Scenario, List<Double>> ours = new EnumMap<>(Scenario.class);
  private final Map<Scenario, List<Double>> theirs = new EnumMap<>(Scenario.class);
  private final Map<Scenario, Double> targets;
  private final String oursTitle;
  private final String theirsTitle;

  /**
   * Creates empty results.
   *
   * @param targets the minimum ratio of our result to theirs, by scenario
   */
  Results(Map<Scenario, Double> targets, String oursTitle, String theirsTitle) {
    this.targets = targets;
    this.oursTitle = oursTitle;
    this.theirsTitle = theirsTitle;
  }

  void addOurs(List<String> lines) {
    add(ours, lines);
  }

  void addTheirs(List<String> lines) {
    add(theirs, lines);
  }

  private static void add(Map<Scenario, List<Double>> to, List<String> lines) {
    for (String line : lines) {
      if (line.startsWith("{")) {
        JsonObject result = new JsonObject(line);
        Scenario scenario = Scenario.valueOf(result.getString("scenario"));
        to.computeIfAbsent(scenario, s -> new ArrayList<>()).add(result.getDouble("value"));
      }
    }
  }

  /** Returns true if every scenario that both sides ran reached its target. */
  boolean reached() {
    return theirs.keySet().stream().allMatch(scenario -> ratio(scenario) >= target(scenario));
  }

  private double target(Scenario scenario) {
    return targets.getOrDefault(scenario, 0.0);
  }

  /**
   * Returns the median of the ratios of each round. A slow period of the machine affects both sides
   * of a round.
   */
  private double ratio(Scenario scenario) {
    List<Double> left = ours.getOrDefault(scenario, List.of());
    List<Double> right = theirs.getOrDefault(scenario, List.of());
    List<Double> ratios = new ArrayList<>();
    for (int round = 0; round < Math.min(left.size(), right.size()); round++) {
      ratios.add(scenario.ratio(left.get(round), right.get(round)));
    }
    return median(ratios);
  }

  static double median(List<Double> values) {
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    int half = sorted.length / 2;
    return sorted.length == 0
        ? Double.NaN
        : sorted.length % 2 == 1
            ? sorted[half]
            : Arrays.stream(sorted, half - 1, half + 1).average().orElseThrow();
  }

  String table() {
    StringBuilder table = new StringBuilder();
    String layout = "%-35s %14s %14s %8s %8s  %s%n";
    table.append(layout.formatted("scenario", oursTitle, theirsTitle, "ratio", "target", ""));
    ours.forEach(
        (scenario, values) -> {
          double ratio = ratio(scenario);
          String verdict = Double.isNaN(ratio) ? "" : ratio >= target(scenario) ? "ok" : "MISSED";
          table.append(
              layout.formatted(
                  scenario.title,
                  figure(median(values), scenario),
                  figure(median(theirs.getOrDefault(scenario, List.of())), scenario),
                  Double.isNaN(ratio) ? "-" : String.format(Locale.ROOT, "%.2fx", ratio),
                  String.format(Locale.ROOT, "%.1fx", target(scenario)),
                  verdict));
        });
    return table.toString();
  }

  private static String figure(double value, Scenario scenario) {
    if (Double.isNaN(value)) {
      return "-";
    }
    String layout = scenario == Scenario.WATCH ? "%.3f %s" : "%,.0f %s";
    return String.format(Locale.ROOT, layout, value, scenario.unit);
  }
}
