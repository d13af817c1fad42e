package io.kvreactive.examples.queue;

/** Thrown if an attempt to pay an order fails. */
public final class Declined extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public Declined(int order) {
    super("order " + order + " was declined", null, false, false);
  }
}
