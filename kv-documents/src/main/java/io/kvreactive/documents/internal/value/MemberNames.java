package io.kvreactive.documents.internal.value;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The names of members that documents have in common: a name that is read again is the same string,
 * whose hash is known. Thread-safe: after a race, or if its places are taken, a name is another
 * string.
 */
public final class MemberNames {
  /** Maximum length of a shared name in characters. */
  static final int MAX_LENGTH = 32;

  private static final int SLOTS = 256; // a power of two

  /** Number of places of a name. The first names stay: names that alternate would write always. */
  private static final int PROBES = 4;

  private final @Nullable String[] names = new String[SLOTS];

  /**
   * Returns a name.
   *
   * @param bytes the text with the name in ASCII
   * @param length the length of the name, less than {@link #MAX_LENGTH}
   * @param hash the hash of the name by {@link String#hashCode}
   */
  String get(byte[] bytes, int from, int length, int hash) {
    int slot = hash ^ hash >>> 16;
    for (int i = 0; i < PROBES; i++) {
      String known = names[slot + i & SLOTS - 1];
      if (known == null) {
        String name = new String(bytes, from, length, StandardCharsets.ISO_8859_1);
        names[slot + i & SLOTS - 1] = name;
        return name;
      } else if (known.hashCode() == hash && isAt(bytes, from, length, known)) {
        return known;
      }
    }
    return new String(bytes, from, length, StandardCharsets.ISO_8859_1);
  }

  private static boolean isAt(byte[] bytes, int from, int length, String name) {
    if (name.length() != length) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      if (name.charAt(i) != bytes[from + i]) {
        return false;
      }
    }
    return true;
  }
}
