package io.kvreactive.examples.run;

import java.util.ArrayList;
import java.util.List;

/**
 * The arguments of an example that are not options.
 *
 * @param name the word for one of them in the usage text, such as "NAME"; empty if the example
 *     takes none
 * @param values the arguments, or those that apply if the command line has none
 */
public record Operands(String name, List<String> values) {
  static final Operands NONE = new Operands("", List.of());

  public Operands {
    values = List.copyOf(values);
  }

  boolean exists() {
    return !name.isEmpty();
  }

  /** Returns operands with the same name and without values. */
  Operands none() {
    return new Operands(name, List.of());
  }

  Operands with(String value) {
    List<String> more = new ArrayList<>(values);
    more.add(value);
    return new Operands(name, more);
  }
}
