package io.kvreactive.examples.run;

/**
 * The amount of work of an example, which its command line may change.
 *
 * @param name the name of the counted things, such as "orders"; empty if nothing is counted
 * @param count the number of them
 */
public record Size(String name, int count) {
  static final Size NONE = new Size("", 1);

  boolean exists() {
    return !name.isEmpty();
  }

  String option() {
    return "--" + name;
  }

  Size parse(String text) {
    try {
      int number = Integer.parseInt(text);
      if (number >= 1) {
        return new Size(name, number);
      }
    } catch (NumberFormatException e) {
      // reported below, like a number that is too small
    }
    throw new Arguments.Unusable(option() + ": " + text + " (expected: a number, at least 1)");
  }
}
