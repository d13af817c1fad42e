package io.kvreactive.stress;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openjdk.jcstress.Main;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.infra.StateCase;
import org.openjdk.jcstress.infra.Status;
import org.openjdk.jcstress.infra.TestInfo;
import org.openjdk.jcstress.infra.collectors.DiskReadCollector;
import org.openjdk.jcstress.infra.collectors.InProcessCollector;
import org.openjdk.jcstress.infra.collectors.TestResult;
import org.openjdk.jcstress.infra.runners.ForkedTestConfig;
import org.openjdk.jcstress.infra.runners.Runner;
import org.openjdk.jcstress.infra.runners.SpinLoopStyle;
import org.openjdk.jcstress.infra.runners.TestList;

/**
 * Runs the races of this module. Each is run by jcstress: its actors run at the same time, many
 * times, and each outcome must be one that the race accepts.
 *
 * <p>The short form runs them in this process. The long form starts jcstress, with a process for
 * each race and compiler. The system property {@code kv.stress} is a pattern of the races to run.
 * {@code kv.stress.options} has the options of jcstress for the long form.
 */
class StressTest {
  private static final Path CLASSES = Path.of("target/test-classes");
  private static final Pattern SELECTED = Pattern.compile(System.getProperty("kv.stress", ""));

  private static final String OPTIONS =
      System.getProperty("kv.stress.options", "-m quick -sc false -af NONE");
  private static final int MAX_MEGABYTES = 64;

  /** The ways in which the actors of a race are synchronized, in one run each. */
  private enum Pace {
    /** Often, so that the actors meet at the same states. Each keeps its processor. */
    CLOSE(SpinLoopStyle.THREAD_SPIN_WAIT, 100, 8, 16),
    /** Seldom, so that there are many states even if other programs use the processors. */
    LOOSE(SpinLoopStyle.THREAD_YIELD, 50, 32, 4);

    private final SpinLoopStyle waiting;
    private final int millis;
    private final int states; // between two synchronizations
    private final int synchronizations;

    Pace(SpinLoopStyle waiting, int millis, int states, int synchronizations) {
      this.waiting = waiting;
      this.millis = millis;
      this.states = states;
      this.synchronizations = synchronizations;
    }

    /** Returns the configuration of one run. */
    ForkedTestConfig config(TestInfo race) throws IOException {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      DataOutputStream out = new DataOutputStream(bytes);
      out.writeInt(waiting.ordinal());
      out.writeInt(millis);
      out.writeInt(1); // iteration
      out.writeUTF(race.generatedRunner());
      out.writeInt(MAX_MEGABYTES);
      out.writeInt(states);
      out.writeInt(synchronizations);
      out.writeBoolean(false); // the actors have no processors of their own
      return new ForkedTestConfig(
          new DataInputStream(new ByteArrayInputStream(bytes.toByteArray())));
    }
  }

  private final List<String> problems = new ArrayList<>();
  private final Set<String> ran = new TreeSet<>();

  @Test
  @Tag("short")
  void racesEndAsPromised() throws Exception {
    for (String race : selected()) {
      TestInfo info = TestList.getInfo(race);
      Constructor<?> runner =
          Class.forName(info.generatedRunner()).getConstructor(ForkedTestConfig.class);
      for (Pace pace : Pace.values()) {
        grade(info, ((Runner<?>) runner.newInstance(pace.config(info))).run());
      }
    }
    requireAll();
  }

  @Test
  @Tag("long")
  void racesEndAsPromisedWithEachCompiler() throws Exception {
    Path directory = Path.of("target/stress").toAbsolutePath();
    Files.createDirectories(directory);
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-cp", classPath(), Main.class.getName()));
    command.addAll(List.of("-t", SELECTED.pattern().isEmpty() ? ".*" : SELECTED.pattern()));
    command.addAll(List.of("-r", directory.resolve("report").toString()));
    command.addAll(List.of(OPTIONS.split(" ")));
    Set<Path> before = results(directory);
    Path log = directory.resolve("log.txt");
    Process process =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    try {
      assertThat(process.waitFor(8, TimeUnit.HOURS)).isTrue();
    } finally {
      process.destroy();
    }
    assertThat(process.exitValue()).as("exit code, see %s", log).isZero();
    Set<Path> after = results(directory);
    after.removeAll(before);
    assertThat(after).as("results, see %s", log).hasSize(1);
    for (TestResult result : read(after.iterator().next())) {
      grade(TestList.getInfo(result.getName()), result);
    }
    requireAll();
  }

  /** Returns the class path of this process, which is valid in any directory. */
  private static String classPath() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
        .map(entry -> Path.of(entry).toAbsolutePath().toString())
        .collect(Collectors.joining(File.pathSeparator));
  }

  private static Set<Path> results(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return new TreeSet<>(files.filter(file -> file.toString().endsWith(".bin.gz")).toList());
    }
  }

  private static Collection<TestResult> read(Path file) throws Exception {
    InProcessCollector collector = new InProcessCollector();
    DiskReadCollector reader = new DiskReadCollector(file.toString(), collector);
    reader.dump();
    reader.close();
    return collector.getTestResults();
  }

  @Test
  void theListOfRacesIsComplete() throws Exception {
    assertThat(new TreeSet<>(TestList.tests())).isEqualTo(existing()).hasSizeGreaterThan(10);
  }

  @Test
  void eachRaceForbidsAllOutcomesThatItDoesNotAccept() throws Exception {
    for (String race : existing()) {
      List<StateCase> cases = List.copyOf(TestList.getInfo(race).cases());
      assertThat(cases).as(race).allMatch(outcome -> !outcome.description().isEmpty());
      StateCase last = cases.get(cases.size() - 1);
      assertThat(last.matchPattern()).as(race).isEqualTo(".*");
      assertThat(last.expect()).as(race).isEqualTo(Expect.FORBIDDEN);
    }
  }

  /** Records the outcomes of a race that it does not accept, with their counts. */
  private void grade(TestInfo info, TestResult result) {
    if (result.status() != Status.NORMAL || result.getTotalCount() == 0) {
      problems.add(
          "%s did not run: %s %s %s"
              .formatted(info.name(), result.status(), result.getMessages(), result.getVmErr()));
      return;
    }
    ran.add(info.name());
    for (String outcome : new TreeSet<>(result.getStateKeys())) {
      StateCase known = find(info, outcome);
      if (known == null || known.expect() == Expect.FORBIDDEN) {
        problems.add(
            "%s: outcome (%s) %d times, %s: %s; all outcomes: %s"
                .formatted(
                    info.name(),
                    outcome,
                    result.getCount(outcome),
                    known == null ? "UNKNOWN" : known.expect(),
                    known == null ? "not listed" : known.description(),
                    counts(result)));
      }
    }
  }

  private static StateCase find(TestInfo info, String outcome) {
    return info.cases().stream()
        .filter(each -> each.matchesExactly(outcome))
        .findFirst()
        .or(() -> info.cases().stream().filter(each -> each.matches(outcome)).findFirst())
        .orElse(null);
  }

  private static TreeMap<String, Long> counts(TestResult result) {
    TreeMap<String, Long> counts = new TreeMap<>();
    result.getStateKeys().forEach(outcome -> counts.put(outcome, result.getCount(outcome)));
    return counts;
  }

  private void requireAll() throws Exception {
    assertThat(String.join("\n", problems))
        .as("races with another outcome than promised")
        .isEmpty();
    assertThat(ran).as("races that have run").isNotEmpty().isEqualTo(selected());
  }

  private static Set<String> selected() throws Exception {
    Set<String> selected = existing();
    selected.removeIf(race -> !SELECTED.matcher(race).find());
    return selected;
  }

  /** Returns the names of all compiled races. */
  private static Set<String> existing() throws Exception {
    List<Path> files;
    try (Stream<Path> all = Files.walk(CLASSES)) {
      files = all.filter(file -> file.toString().endsWith(".class")).toList();
    }
    Set<String> races = new TreeSet<>();
    for (Path file : files) {
      String path = CLASSES.relativize(file).toString();
      String name = path.substring(0, path.length() - ".class".length()).replace('/', '.');
      Class<?> type = Class.forName(name, false, StressTest.class.getClassLoader());
      if (type.isAnnotationPresent(JCStressTest.class)) {
        races.add(name);
      }
    }
    return races;
  }
}
