package io.kvreactive.index;

/** Which item ended a {@link DocumentCollection#load load}, and why. Those before it are stored. */
public final class LoadException extends IndexException {
  private static final long serialVersionUID = 1L;

  private final long position;
  private final String reason;

  /**
   * @param position of the item, from 1
   * @param reason why it cannot be stored
   */
  public LoadException(IndexErrorCode code, long position, String reason, Throwable cause) {
    super(
        code,
        "item " + position + " of the load: " + reason + "; those before it are stored",
        cause);
    this.position = position;
    this.reason = reason;
  }

  /** The position of the item among those of the load, from 1. */
  public long position() {
    return position;
  }

  /** Why the item cannot be stored: the offending value and what was expected. */
  public String reason() {
    return reason;
  }
}
