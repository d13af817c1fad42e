package io.kvreactive;

import org.jspecify.annotations.Nullable;

/**
 * The exception of all failures of this library, distinguished by {@link #code()}, never by
 * subclass or message. Messages start with the code and contain the offending value and the
 * expectation.
 *
 * <p>A failed check is not an exception: see {@link CommitResult}.
 */
public final class KvException extends RuntimeException implements KvError {
  private static final long serialVersionUID = 1L;

  private final KvErrorCode code;
  private final String detail;
  private final transient @Nullable Compacted compacted; // not serialized

  private record Compacted(Versionstamp since, Versionstamp oldest, boolean isLost) {}

  public KvException(KvErrorCode code, String message) {
    this(code, message, null);
  }

  public KvException(KvErrorCode code, String message, @Nullable Throwable cause) {
    this(code, message, cause, null);
  }

  private KvException(
      KvErrorCode code, String message, @Nullable Throwable cause, @Nullable Compacted compacted) {
    super(code + ": " + message, cause);
    this.code = code;
    this.detail = message;
    this.compacted = compacted;
  }

  /**
   * Returns a COMPACTED error.
   *
   * @param since the requested versionstamp
   * @param oldest the oldest versionstamp that is kept
   */
  public static KvException compacted(Versionstamp since, Versionstamp oldest) {
    String message = "since: " + since + " (expected: at least " + oldest + ", the oldest kept)";
    return new KvException(
        KvErrorCode.COMPACTED, message, null, new Compacted(since, oldest, false));
  }

  /**
   * Returns a COMPACTED error for a versionstamp of commits that were lost, in a crash or when the
   * store was restored or cut.
   *
   * @param since the requested versionstamp
   * @param oldest the versionstamp at which the store continued
   */
  public static KvException lost(Versionstamp since, Versionstamp oldest) {
    String message =
        "since: "
            + since
            + " was lost when the store was recovered or restored (expected: at least "
            + oldest
            + ", where it continued)";
    return new KvException(
        KvErrorCode.COMPACTED, message, null, new Compacted(since, oldest, true));
  }

  @Override
  public KvErrorCode code() {
    return code;
  }

  @Override
  public String detail() {
    return detail;
  }

  /**
   * Returns, with COMPACTED, the oldest versionstamp after which all changes are still kept; after
   * a lost one, the oldest after which there are any. Null with every other code.
   */
  public @Nullable Versionstamp oldest() {
    return compacted == null ? null : compacted.oldest();
  }

  /**
   * Returns, with COMPACTED, the versionstamp after which changes are missing: the requested one,
   * or the position of a feed that has fallen behind. Null with every other code.
   */
  public @Nullable Versionstamp since() {
    return compacted == null ? null : compacted.since();
  }

  /**
   * Returns true if the commits up to {@link #since} were lost, in a crash or when the store was
   * restored or cut. What a reader has derived from them must be derived again. False if they are
   * only no longer kept, and with every other code.
   */
  public boolean isLost() {
    return compacted != null && compacted.isLost();
  }
}
