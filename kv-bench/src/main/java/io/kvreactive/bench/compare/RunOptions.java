package io.kvreactive.bench.compare;

import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import picocli.CommandLine.Option;

/** The options of both sides. */
final class RunOptions {
  @Option(names = "--only", split = ",", description = "Scenarios: ${COMPLETION-CANDIDATES}.")
  List<Scenario> only = List.of();

  @Option(
      names = "--seconds",
      description = "Seconds measured per scenario (default: ${DEFAULT-VALUE}).")
  double seconds = 4;

  @Option(names = "--warm-up", description = "Seconds of warm-up (default: ${DEFAULT-VALUE}).")
  double warmUp;

  /** Creates options with three seconds of warm-up. */
  RunOptions() {
    this(3);
  }

  RunOptions(double warmUp) {
    this.warmUp = warmUp;
  }

  Set<Scenario> scenarios() {
    return only.isEmpty() ? EnumSet.allOf(Scenario.class) : EnumSet.copyOf(only);
  }

  /** Returns the options as arguments of a child process, for one scenario. */
  List<String> toArguments(Scenario scenario) {
    return List.of(
        "--only=" + scenario,
        String.format(Locale.ROOT, "--seconds=%f", seconds),
        String.format(Locale.ROOT, "--warm-up=%f", warmUp));
  }
}
