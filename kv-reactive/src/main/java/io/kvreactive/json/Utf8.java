package io.kvreactive.json;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import java.io.ByteArrayInputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/**
 * Strict UTF-8 (RFC 3629): malformed bytes are rejected, never replaced. Overlong forms, encoded
 * surrogates and code points above U+10FFFF are malformed.
 *
 * <p>A Java string may contain an unpaired surrogate, as a JavaScript string may; UTF-8 cannot.
 * {@link #json} and {@link #escape} keep such a surrogate in JSON text as its escape, {@code
 * \ud800}.
 */
public final class Utf8 {
  private static final char REPLACEMENT = '\uFFFD';
  private static final int MARK_BYTES = 3;
  private static final int CHUNK_CHARS = 1024;

  private Utf8() {}

  /**
   * Decodes bytes.
   *
   * @throws KvException INVALID_ARGUMENT with the offset of the first malformed byte
   */
  public static String decode(byte[] bytes) {
    return decode(bytes, 0);
  }

  /**
   * Decodes the bytes of a whole document, such as a request body or a file. A byte order mark at
   * its start is skipped.
   *
   * @throws KvException INVALID_ARGUMENT with the offset of the first malformed byte
   */
  public static String decodeDocument(byte[] bytes) {
    return decode(bytes, markBytes(bytes));
  }

  /**
   * Decodes with the JDK's decoder, which handles ASCII and Latin-1 at memory speed, and searches
   * the result for the replacement character, which is as fast.
   */
  private static String decode(byte[] bytes, int from) {
    String text = new String(bytes, from, bytes.length - from, StandardCharsets.UTF_8);
    if (text.indexOf(REPLACEMENT) >= 0) { // part of the text, or in place of malformed bytes
      requireWellFormed(bytes);
    }
    return text;
  }

  /**
   * Returns a reader of a whole document, without a copy of its bytes. A byte order mark at its
   * start is skipped. On malformed bytes the reader throws {@link
   * java.nio.charset.CharacterCodingException}; {@link #requireWellFormed} finds their offset.
   */
  public static Reader documentReader(byte[] bytes) {
    int from = markBytes(bytes);
    return new InputStreamReader(
        new ByteArrayInputStream(bytes, from, bytes.length - from), decoder());
  }

  /**
   * Checks that bytes are UTF-8.
   *
   * @throws KvException INVALID_ARGUMENT with the offset of the first malformed byte
   */
  public static void requireWellFormed(byte[] bytes) {
    int at = firstMalformed(bytes);
    if (at >= 0) {
      throw new KvException(
          KvErrorCode.INVALID_ARGUMENT,
          "byte %d is 0x%02x (expected: UTF-8)".formatted(at, bytes[at] & 0xFF));
    }
  }

  /** Returns the offset of the first byte that is not part of well-formed UTF-8, or -1. */
  public static int firstMalformed(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    CharBuffer out = CharBuffer.allocate(CHUNK_CHARS);
    CharsetDecoder decoder = decoder();
    CoderResult result;
    do {
      out.clear();
      result = decoder.decode(in, out, true);
    } while (result.isOverflow());
    return result.isError() ? in.position() : -1;
  }

  private static CharsetDecoder decoder() {
    return StandardCharsets.UTF_8
        .newDecoder()
        .onMalformedInput(CodingErrorAction.REPORT)
        .onUnmappableCharacter(CodingErrorAction.REPORT);
  }

  private static int markBytes(byte[] bytes) {
    boolean marked =
        bytes.length >= MARK_BYTES
            && bytes[0] == (byte) 0xEF
            && bytes[1] == (byte) 0xBB
            && bytes[2] == (byte) 0xBF;
    return marked ? MARK_BYTES : 0;
  }

  /** Returns true if all surrogates are paired, so that UTF-8 can encode the text. */
  public static boolean isWellFormed(String text) {
    return firstLoneSurrogate(text, 0) == text.length();
  }

  /** Returns JSON text with each unpaired surrogate replaced by its escape. */
  public static String escape(String json) {
    int lone = firstLoneSurrogate(json, 0);
    if (lone == json.length()) {
      return json;
    }
    StringBuilder escaped = new StringBuilder(json.length() + 16);
    int from = 0;
    while (lone < json.length()) { // within a JSON string: surrogates cannot occur elsewhere
      escaped.append(json, from, lone).append("\\u").append(Integer.toHexString(json.charAt(lone)));
      from = lone + 1;
      lone = firstLoneSurrogate(json, from);
    }
    return escaped.append(json, from, json.length()).toString();
  }

  /** Encodes JSON text, with each unpaired surrogate replaced by its escape. */
  public static byte[] json(String json) {
    return escape(json).getBytes(StandardCharsets.UTF_8);
  }

  /** Returns the index of the first unpaired surrogate, or the length. */
  private static int firstLoneSurrogate(String text, int from) {
    int length = text.length();
    for (int i = from; i < length; i++) {
      char c = text.charAt(i);
      if (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE) {
        if (Character.isLowSurrogate(c)
            || i + 1 == length
            || !Character.isLowSurrogate(text.charAt(i + 1))) {
          return i;
        }
        i++;
      }
    }
    return length;
  }
}
