package io.kvreactive.examples.queue;

/** A payment did not work out this time. */
public final class Declined extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public Declined(int order) {
    super("order " + order + " is declined", null, false, false);
  }
}
