package io.kvreactive;

/** The codes of {@link KvException}. */
public enum KvErrorCode implements KvError.Code {
  /** A key cannot be encoded or decoded, is empty, or has a part of an unsupported type. */
  INVALID_KEY(false),
  /** A range, prefix or list option contradicts itself. */
  INVALID_RANGE(false),
  /** A cursor cannot be decoded, or points outside the range it is used with. */
  INVALID_CURSOR(false),
  /** A versionstamp is not 20 hex digits, or not 10 bytes. */
  INVALID_VERSIONSTAMP(false),
  /** A value cannot be encoded: its type has no structured-clone form, or it nests too deeply. */
  INVALID_VALUE(false),
  /** Stored bytes are not a well-formed value, or do not fit the requested type. */
  UNREADABLE_VALUE(false),
  /** Any other argument is out of its documented range. */
  INVALID_ARGUMENT(false),
  /** A {@link KvLimits} bound is exceeded. */
  LIMIT_EXCEEDED(false),
  /** The stored value or the operand of a sum, min or max is of another kind. */
  TYPE_MISMATCH(false),
  /** A sum with bounds and without clamp would exceed its bounds. */
  OUT_OF_RANGE(false),
  /**
   * In every attempt of a transaction, other commits changed what it had read; nothing was done.
   */
  CONFLICT(true),
  /** The store's mailbox is full, or the system has no file descriptors left; nothing was done. */
  OVERLOADED(true),
  /** A remote store cannot be reached, or did not answer. The outcome of a commit is unknown. */
  UNAVAILABLE(false),
  /** A remote store does not know the token, or it has expired; nothing was done. */
  UNAUTHENTICATED(false),
  /** The token does not allow this; nothing was done. */
  FORBIDDEN(false),
  /**
   * The message's lease has ended, and the message may be leased to another consumer; nothing was
   * done.
   */
  LEASE_LOST(false),
  /** The engine does not support this operation. */
  UNSUPPORTED(false),
  /** The handle or the store is closed; nothing was done. */
  CLOSED(false),
  /** The snapshot needs more history than the store keeps; read again from a new one. */
  SNAPSHOT_TOO_OLD(true),
  /**
   * The changes after that versionstamp are no longer kept, or the versionstamp itself was lost in
   * a crash or a restore; the exception names the oldest versionstamp from which a feed can
   * continue.
   */
  COMPACTED(false),
  /** Another process or another handle has the directory open. */
  LOCKED(true),
  /** No store of that name is deployed on this Vert.x instance. */
  NO_SUCH_STORE(false),
  /** A store of that name is already deployed on this Vert.x instance. */
  NAME_TAKEN(false),
  /**
   * The disk has no space for the log or the image. The store is read-only until it has. Nothing
   * was done.
   */
  DISK_FULL(true),
  /** A file of the store is damaged; the message says which and where. */
  CORRUPT(false),
  /** The operating system failed a read, write or sync. The outcome of a commit is unknown. */
  IO_FAILED(false),
  /** A defect in this library. */
  INTERNAL(false);

  private final boolean retryable;

  KvErrorCode(boolean retryable) {
    this.retryable = retryable;
  }

  @Override
  public boolean retryable() {
    return retryable;
  }
}
