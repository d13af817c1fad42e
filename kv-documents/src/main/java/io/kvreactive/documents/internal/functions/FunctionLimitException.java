package io.kvreactive.documents.internal.functions;

import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;

/**
 * The error of a call whose arguments or result exceed a limit: QUERY_BUDGET_EXCEEDED. An undefined
 * result instead would make a condition miss rows silently.
 */
public final class FunctionLimitException extends DocumentException {
  private static final long serialVersionUID = 1L;

  FunctionLimitException(String message) {
    super(DocumentErrorCode.QUERY_BUDGET_EXCEEDED, message);
  }

  /**
   * Checks the length of a result before it is made.
   *
   * @param function the name of the function or operator
   * @param length the length in characters of a text or elements of an array
   * @throws FunctionLimitException if the result is longer than {@link FunctionRegistry#MAX_RESULT}
   */
  public static void checkResult(String function, long length) {
    if (length > FunctionRegistry.MAX_RESULT) {
      throw ofResult(function);
    }
  }

  /** Returns the error of a result that is too long. */
  static FunctionLimitException ofResult(String function) {
    return new FunctionLimitException(
        function
            + ": the result is too long (expected: at most "
            + FunctionRegistry.MAX_RESULT
            + " characters or elements)");
  }
}
