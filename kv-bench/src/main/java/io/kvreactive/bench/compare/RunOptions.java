package io.kvreactive.bench.compare;

import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import picocli.CommandLine.Option;

/** Options that both sides understand. */
final class RunOptions {
  @Option(names = "--only", split = ",", description = "Scenarios: ${COMPLETION-CANDIDATES}.")
  List<Scenario> only = List.of();

  @Option(names = "--seconds", description = "Measured per scenario (default: ${DEFAULT-VALUE}).")
  double seconds = 4;

  @Option(names = "--warm-up", description = "Seconds before that (default: ${DEFAULT-VALUE}).")
  double warmUp;

  /** With three seconds of warm-up. */
  RunOptions() {
    this(3);
  }

  RunOptions(double warmUp) {
    this.warmUp = warmUp;
  }

  Set<Scenario> scenarios() {
    return only.isEmpty() ? EnumSet.allOf(Scenario.class) : EnumSet.copyOf(only);
  }

  /** The same options, but for one scenario, for a child. */
  List<String> toArguments(Scenario scenario) {
    return List.of(
        "--only=" + scenario,
        String.format(Locale.ROOT, "--seconds=%f", seconds),
        String.format(Locale.ROOT, "--warm-up=%f", warmUp));
  }
}
