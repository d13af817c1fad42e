package io.kvreactive.examples.run;

/**
 * The amount of work of an example, which its command line may change.
 *
 * @param name the name of the counted things, such as "orders"; empty if nothing is counted
 * @param count the number of them
 * @param min the minimum number
 */
public record Size(String name, int count, int min) {
  static final Size NONE = new Size("", 1);

  /** Creates an amount of at least 1. */
  public Size(String name, int count) {
    this(name, count, 1);
  }

  boolean exists() {
    return !name.isEmpty();
  }

  String option() {
    return "--" + name;
  }

  Size parse(String text) {
    try {
      int number = Integer.parseInt(text);
      if (number >= min) {
        return new Size(name, number, min);
      }
    } catch (NumberFormatException e) {
      // reported below, like a number that is too small
    }
    throw new Arguments.Unusable(
        option() + ": " + text + " (expected: a number, at least " + min + ")");
  }
}
