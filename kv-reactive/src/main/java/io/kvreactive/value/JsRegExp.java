package io.kvreactive.value;

/**
 * A JavaScript {@code RegExp}, whose syntax differs from that of {@link java.util.regex.Pattern}.
 *
 * @param source the pattern, without slashes
 * @param flags the sum of the flag bits of this class
 */
public record JsRegExp(String source, int flags) {
  /** {@code g}. */
  public static final int GLOBAL = 1;

  /** {@code i}. */
  public static final int IGNORE_CASE = 2;

  /** {@code m}. */
  public static final int MULTILINE = 4;

  /** {@code y}. */
  public static final int STICKY = 8;

  /** {@code u}. */
  public static final int UNICODE = 16;

  /** {@code s}. */
  public static final int DOT_ALL = 32;

  /** {@code l}, V8's own linear-time engine. */
  public static final int LINEAR = 64;

  /** {@code d}. */
  public static final int HAS_INDICES = 128;

  /** {@code v}. */
  public static final int UNICODE_SETS = 256;

  private static final String LETTERS = "gimyusldv";

  /** Returns the JavaScript literal: {@code /a/gi}. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("/").append(source).append('/');
    for (int bit = 0; bit < LETTERS.length(); bit++) {
      if ((flags >> bit & 1) != 0) {
        text.append(LETTERS.charAt(bit));
      }
    }
    return text.toString();
  }
}
