package io.kvreactive.examples.queue;

/** An order as stored. */
public record Order(int number, int cents, State state) {
  /** What has become of it. */
  public enum State {
    PLACED,
    PAID,
    THANKED,
    FAILED
  }

  Order withState(State newState) {
    return new Order(number, cents, newState);
  }
}
