package io.kvreactive.documents.internal.functions;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.documents.spi.ScalarFunction;
import io.kvreactive.testing.ShortTries;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiFunction;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/**
 * Doubles the arguments of every function and rejects growth beyond linear. Work is counted, not
 * timed: see {@link WorkCounter}.
 */
class FunctionCostPropertyTest {
  private static final int SMALL = 512;

  /** The size for LOWER and UPPER, which take quadratic time for each chunk of 1,024 characters. */
  private static final int CHUNKS = 4096;

  /** A size beyond the windows of {@link TextSearch}. */
  private static final int LARGE = 80_000;

  /**
   * Growth of the work for each character or element of arguments and result, when the arguments
   * double: linear is 1, n log n is 1.1, quadratic is 2.
   */
  private static final double MAX_GROWTH = 1.4;

  /** Work that need not grow in proportion, such as the allocation of a thread's buffers. */
  private static final long SLACK = 5_000;

  /** LIKE is an operator with the cost of a function. */
  private static final String LIKE = FunctionProbe.LIKE;

  private static final BiFunction<String, Object[], long[]> PROBE = probe();

  @SuppressWarnings("unchecked")
  private static BiFunction<String, Object[], long[]> probe() {
    try {
      return (BiFunction<String, Object[], long[]>)
          new CountingClassLoader()
              .loadClass(FunctionProbe.class.getName())
              .getDeclaredConstructor()
              .newInstance();
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  /** Returns the names of all functions, and LIKE. */
  static Set<String> names() {
    Set<String> names = new TreeSet<>(FunctionRegistry.names());
    names.add(LIKE);
    return names;
  }

  private static int small(String name) {
    return name.equals("LOWER") || name.equals("UPPER") ? CHUNKS : SMALL;
  }

  private static int minArguments(String name) {
    ScalarFunction function = FunctionRegistry.find(name);
    return function == null ? 2 : function.minArguments();
  }

  private static int maxArguments(String name) {
    ScalarFunction function = FunctionRegistry.find(name);
    return function == null ? 2 : Math.min(function.maxArguments(), 12);
  }

  private static Object[] call(int size, List<String> arguments) {
    Object[] call = new Object[arguments.size() + 1];
    call[0] = size;
    for (int i = 0; i < arguments.size(); i++) {
      call[i + 1] = arguments.get(i);
    }
    return call;
  }

  /** Checks that the work of a call grows with the sizes of arguments and result. */
  private static void check(String name, List<String> arguments, int size) {
    if (isProduct(name, arguments)) {
      return;
    }
    var unused = PROBE.apply(name, call(size, arguments)); // loads classes
    long[] once = PROBE.apply(name, call(size, arguments));
    long[] twice = PROBE.apply(name, call(2 * size, arguments));
    assertThat(twice[0])
        .as("%s%s: work with %d is %d, with %d", name, arguments, size, once[0], 2 * size)
        .isLessThanOrEqualTo((long) (MAX_GROWTH * once[0] * twice[1] / once[1]) + SLACK);
  }

  /**
   * Returns true for calls whose documented cost is the product of two sizes that both grow: that
   * of RegexMatch is bounded by a limit.
   */
  private static boolean isProduct(String name, List<String> arguments) {
    return name.equals("REGEXMATCH") && FunctionProbe.grows(arguments.get(1));
  }

  @Example
  void growsLinearlyWithOneArgumentOrTwo() {
    for (String name : names()) {
      for (String first : FunctionProbe.ARGUMENTS.keySet()) {
        if (minArguments(name) <= 1 && maxArguments(name) >= 1) {
          check(name, List.of(first), small(name));
        }
        if (minArguments(name) <= 2 && maxArguments(name) >= 2) {
          for (String second : FunctionProbe.ARGUMENTS.keySet()) {
            check(name, List.of(first, second), small(name));
          }
        }
      }
    }
  }

  @Example
  void growsLinearlyWithLongTexts() {
    for (String name : names()) {
      for (String text : List.of("a*n", "ab*n/2")) {
        for (String other : List.of("a", "a*40+b", "a%a")) {
          List<String> arguments = new ArrayList<>(List.of(text));
          while (arguments.size() < Math.max(2, minArguments(name))) {
            arguments.add(other);
          }
          if (arguments.size() <= maxArguments(name)) {
            check(name, arguments, LARGE);
          }
        }
      }
    }
  }

  @Property(tries = 3000)
  @ShortTries(300)
  void growsLinearlyWithSeveralArguments(@ForAll("calls") List<String> call) {
    check(call.get(0), call.subList(1, call.size()), SMALL);
  }

  @Provide
  Arbitrary<List<String>> calls() {
    List<String> severalArguments =
        names().stream().filter(name -> maxArguments(name) > 2).toList();
    Arbitrary<String> argument = Arbitraries.of(FunctionProbe.ARGUMENTS.keySet());
    return Arbitraries.of(severalArguments)
        .flatMap(
            name ->
                argument
                    .list()
                    .ofMinSize(Math.max(3, minArguments(name)))
                    .ofMaxSize(maxArguments(name))
                    .map(
                        arguments -> {
                          List<String> call = new ArrayList<>(List.of(name));
                          call.addAll(arguments);
                          return call;
                        }));
  }
}
