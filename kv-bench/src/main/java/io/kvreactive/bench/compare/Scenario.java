package io.kvreactive.bench.compare;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/** What is measured on both sides, in this order; {@code deno.js} knows them by the same names. */
enum Scenario {
  SETS64("durable sets, 64 in flight", "/s", 12),
  SETS1("durable sets, 1 in flight", "/s", 1.3),
  GETS64("gets, 64 in flight", "/s", 5),
  LIST("list of a prefix, entries", "/s", 10),
  ATOMIC64("check+check+set+set, 64 in flight", "/s", 5),
  WATCH("set to watcher, p50", "ms", 1);

  final String title;
  final String unit;

  /** How many times better than Deno KV this store is to be. */
  final double target;

  Scenario(String title, String unit, double target) {
    this.title = title;
    this.unit = unit;
    this.target = target;
  }

  /** The targets of all scenarios, both sides embedded. */
  static Map<Scenario, Double> targets() {
    Map<Scenario, Double> targets = new EnumMap<>(Scenario.class);
    for (Scenario scenario : values()) {
      targets.put(scenario, scenario.target);
    }
    return targets;
  }

  /** How many times better ours is. */
  double ratio(double ours, double deno) {
    return this == WATCH ? deno / ours : ours / deno;
  }

  String id() {
    return name().toLowerCase(Locale.ROOT);
  }
}
