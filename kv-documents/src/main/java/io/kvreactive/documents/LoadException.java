package io.kvreactive.documents;

/**
 * The error of a {@link DocumentCollection#load load} that an item ended. The items before it are
 * stored.
 */
public final class LoadException extends DocumentException {
  private static final long serialVersionUID = 1L;

  private final long position;
  private final String reason;

  /**
   * Creates the error of an item.
   *
   * @param position the position of the item, from 1
   * @param reason the reason why the item cannot be stored
   */
  public LoadException(DocumentErrorCode code, long position, String reason, Throwable cause) {
    super(
        code,
        "item " + position + " of the load: " + reason + "; those before it are stored",
        cause);
    this.position = position;
    this.reason = reason;
  }

  /** Returns the position of the item among the items of the load, from 1. */
  public long position() {
    return position;
  }

  /** Returns the reason why the item cannot be stored: the offending value and the expected one. */
  public String reason() {
    return reason;
  }
}
