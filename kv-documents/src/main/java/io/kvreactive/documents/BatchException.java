package io.kvreactive.documents;

/**
 * The error of an operation of a {@link TransactionalBatch}. No operation of the batch has taken
 * effect. The code is that of the failed operation.
 */
public final class BatchException extends DocumentException {
  private static final long serialVersionUID = 1L;

  private final int failedOperation;

  /**
   * Creates the error of an operation.
   *
   * @param failedOperation the index of the operation, from 0
   * @param cause the error of the operation
   */
  public BatchException(int failedOperation, DocumentException cause) {
    super(cause.code(), "operation " + failedOperation + ": " + cause.detail(), cause);
    this.failedOperation = failedOperation;
  }

  /** Returns the index of the failed operation, from 0. */
  public int failedOperation() {
    return failedOperation;
  }
}
