package io.kvreactive.index.internal.collection;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * A canonical, injective byte encoding of scalars: two encodings are equal if and only if the
 * values are.
 */
final class CanonicalEncoding {
  /**
   * Maximum length in bytes of an encoding that a key holds as is. Keys hold a hash of longer
   * encodings.
   */
  private static final int MAX_LENGTH = 256;

  /** First byte of the hash of a long encoding. No byte of an encoding is the same. */
  static final byte HASHED = (byte) 0xFF;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  CanonicalEncoding value(JsonNode value) {
    switch (value.getNodeType()) {
      case BOOLEAN -> out.write(value.booleanValue() ? 0x21 : 0x20);
      case NUMBER -> {
        out.write(0x30);
        long bits = Double.doubleToLongBits(value.doubleValue() + 0.0); // normalizes -0.0 to 0.0
        for (int shift = 56; shift >= 0; shift -= 8) {
          out.write((int) (bits >>> shift));
        }
      }
      case STRING -> {
        out.write(0x40);
        text(value.textValue());
      }
      default -> out.write(0x10);
    }
    return this;
  }

  /**
   * Appends the text's UTF-16 units, each encoded as in UTF-8. U+0000 is escaped; a zero byte ends
   * the text.
   */
  CanonicalEncoding text(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < 0x80) {
        out.write(c);
        if (c == 0) {
          out.write(0xFF);
        }
      } else if (c < 0x800) {
        out.write(0xC0 | c >> 6);
        out.write(0x80 | c & 0x3F);
      } else {
        out.write(0xE0 | c >> 12);
        out.write(0x80 | c >> 6 & 0x3F);
        out.write(0x80 | c & 0x3F);
      }
    }
    out.write(0);
    return this;
  }

  byte[] toBytes() {
    return out.toByteArray();
  }

  /** Returns the encoding, or its hash if the encoding is too long for a key. */
  byte[] toKey() {
    byte[] bytes = out.toByteArray();
    if (bytes.length <= MAX_LENGTH) {
      return bytes;
    }
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(bytes);
      byte[] key = new byte[1 + hash.length];
      key[0] = HASHED;
      System.arraycopy(hash, 0, key, 1, hash.length);
      return key;
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JVM has SHA-256", e);
    }
  }
}
