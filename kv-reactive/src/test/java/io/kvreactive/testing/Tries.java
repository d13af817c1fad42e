package io.kvreactive.testing;

/**
 * Numbers of tries of tests that have a short form in every build and a long form with {@code
 * -Plong}.
 *
 * <p>The tries of a jqwik property are those of the long form, and {@link ShortTries} has those of
 * the short form. A test without a short form is tagged {@code long}.
 */
public final class Tries {
  private static final boolean LONG = Boolean.getBoolean("kv.test.long");

  private Tries() {}

  /** Returns the first number in the short form and the second one in the long form. */
  public static int of(int shortForm, int longForm) {
    return LONG ? longForm : shortForm;
  }
}
