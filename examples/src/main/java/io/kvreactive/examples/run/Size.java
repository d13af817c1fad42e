package io.kvreactive.examples.run;

/**
 * How much an example does, which its command line may change.
 *
 * @param name of what is counted, such as "orders"; empty when there is nothing to count
 * @param count how many
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
      // said below, like a number that is too small
    }
    throw new Arguments.Unusable(option() + ": " + text + " (expected: a number, at least 1)");
  }
}
