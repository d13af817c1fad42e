package io.kvreactive.web.internal.http;

import io.kvreactive.KvError;

/** The error of a malformed operation of a batch. The code and the text are those of the cause. */
public final class BatchOperationException extends RuntimeException implements KvError {
  private static final long serialVersionUID = 1L;

  private final int failedOperation;
  private final transient KvError error;

  /**
   * Creates the error of an operation.
   *
   * @param failedOperation the index of the operation, from 0
   * @param cause the error of the operation
   */
  public <E extends RuntimeException & KvError> BatchOperationException(
      int failedOperation, E cause) {
    super(cause.detail(), cause, false, false);
    this.failedOperation = failedOperation;
    this.error = cause;
  }

  @Override
  public Code code() {
    return error.code();
  }

  @Override
  public String detail() {
    return error.detail();
  }

  /** Returns the index of the failed operation, from 0. */
  int failedOperation() {
    return failedOperation;
  }
}
