package io.kvreactive.internal.key;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import java.util.Arrays;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * Encodes cursors: the bytes of a key after the common beginning of its range, in URL-safe base64
 * with padding, as Deno KV does. An empty rest is encoded as a single dot, since its base64 would
 * be the empty cursor.
 */
public final class KeyCursor {
  private static final String AT_BASE = ".";
  private static final int MAX_SHOWN = 80;

  private KeyCursor() {}

  /**
   * Returns the cursor of a key.
   *
   * @throws KvException INVALID_CURSOR if the key does not begin with {@code base}
   */
  public static String encode(byte[] base, byte[] key) {
    if (key.length < base.length || !Arrays.equals(base, 0, base.length, key, 0, base.length)) {
      throw new KvException(
          KvErrorCode.INVALID_CURSOR,
          "cursor after "
              + KeyText.key(key)
              + " (expected: a key that begins with 0x"
              + KeyText.hex(base, 0, base.length)
              + ")");
    }
    byte[] rest = Arrays.copyOfRange(key, base.length, key.length);
    return rest.length == 0 ? AT_BASE : Base64.getUrlEncoder().encodeToString(rest);
  }

  /**
   * Returns the whole key of a cursor.
   *
   * @throws KvException INVALID_CURSOR if the cursor is not a result of {@link #encode}
   */
  public static byte[] decode(byte[] base, String cursor) {
    byte[] rest = cursor.equals(AT_BASE) ? new byte[0] : base64(cursor);
    byte[] key = Arrays.copyOf(base, base.length + rest.length);
    System.arraycopy(rest, 0, key, base.length, rest.length);
    return key;
  }

  private static byte[] base64(String cursor) {
    try {
      byte[] rest = Base64.getUrlDecoder().decode(cursor);
      // the decoder accepts missing padding and stray bits, Deno does not
      if (rest.length > 0 && Base64.getUrlEncoder().encodeToString(rest).equals(cursor)) {
        return rest;
      }
    } catch (IllegalArgumentException e) {
      throw invalid(cursor, e);
    }
    throw invalid(cursor, null);
  }

  private static KvException invalid(String cursor, @Nullable Throwable cause) {
    return new KvException(
        KvErrorCode.INVALID_CURSOR,
        "cursor \"" + cut(cursor) + "\" (expected: URL-safe base64 with padding)",
        cause);
  }

  /** Returns a cursor truncated for a message. */
  public static String cut(String cursor) {
    return cursor.length() <= MAX_SHOWN ? cursor : cursor.substring(0, MAX_SHOWN) + "…";
  }
}
