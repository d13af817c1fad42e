package io.kvreactive.web.internal.rest;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.json.Utf8;

/** Decodes lines of UTF-8. */
public final class LineText {
  private static final String BYTE_ORDER_MARK = "\uFEFF";

  private LineText() {}

  /**
   * Decodes a line.
   *
   * @param number the number of the line, from 1
   * @throws KvException INVALID_ARGUMENT if the line is not UTF-8
   */
  public static String decode(long number, byte[] utf8) {
    try {
      return Utf8.decode(utf8);
    } catch (KvException e) {
      throw new KvException(KvErrorCode.INVALID_ARGUMENT, "line " + number + ": " + e.detail(), e);
    }
  }

  /** Returns the first line of the input, without a byte order mark. */
  public static String withoutMark(String first) {
    return first.startsWith(BYTE_ORDER_MARK) ? first.substring(1) : first;
  }
}
