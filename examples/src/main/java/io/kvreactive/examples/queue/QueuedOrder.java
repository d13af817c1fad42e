package io.kvreactive.examples.queue;

/** An order as stored. */
public record QueuedOrder(int number, int cents, State state) {
  /** The state of an order. */
  public enum State {
    PLACED,
    PAID,
    THANKED,
    FAILED
  }

  QueuedOrder withState(State newState) {
    return new QueuedOrder(number, cents, newState);
  }
}
