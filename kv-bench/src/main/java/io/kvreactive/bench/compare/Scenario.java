package io.kvreactive.bench.compare;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/** The scenarios of both sides, in their order. {@code deno.js} uses the same names. */
enum Scenario {
  SETS64("durable sets, 64 in flight", "/s", 12),
  SETS1("durable sets, 1 in flight", "/s", 1.3),
  GETS64("gets, 64 in flight", "/s", 5),
  LIST("list of a prefix, entries", "/s", 10),
  ATOMIC64("check+check+set+set, 64 in flight", "/s", 5),
  WATCH("set to watcher, p50", "ms", 1);

  final String title;
  final String unit;

  /** Minimum ratio of our result to that of Deno KV, for both stores embedded. */
  final double target;

  Scenario(String title, String unit, double target) {
    this.title = title;
    this.unit = unit;
    this.target = target;
  }

  /** Returns the targets of all scenarios, for both stores embedded. */
  static Map<Scenario, Double> targets() {
    Map<Scenario, Double> targets = new EnumMap<>(Scenario.class);
    for (Scenario scenario : values()) {
      targets.put(scenario, scenario.target);
    }
    return targets;
  }

  /** Returns the ratio of our result to theirs, above 1 if ours is better. */
  double ratio(double ours, double theirs) {
    return this == WATCH ? theirs / ours : ours / theirs;
  }

  String id() {
    return name().toLowerCase(Locale.ROOT);
  }
}
