package io.kvreactive.examples.unicode;

/**
 * The mark of a finished load.
 *
 * @param characters the number of loaded characters
 * @param jdk the feature release of the JDK; another release may know more characters
 */
public record Loaded(int characters, int jdk) {
  static Loaded of(Assigned assigned) {
    return new Loaded(assigned.count(), Runtime.version().feature());
  }
}
