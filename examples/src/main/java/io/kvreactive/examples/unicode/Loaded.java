package io.kvreactive.examples.unicode;

/**
 * The mark of a finished load.
 *
 * @param characters how many were loaded
 * @param jdk feature release that they come from: another one may know more
 */
public record Loaded(int characters, int jdk) {
  static Loaded of(Assigned assigned) {
    return new Loaded(assigned.count(), Runtime.version().feature());
  }
}
