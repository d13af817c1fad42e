package io.kvreactive.documents.internal.collection;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.internal.encoding.KeyBuffer;
import io.kvreactive.documents.internal.encoding.Sha256;
import java.io.ByteArrayOutputStream;

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

  /** First byte of the hash of a long encoding. No encoding begins with it. */
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

  /** Returns true if the encoding is too long for a key. */
  boolean isLong() {
    return out.size() > MAX_LENGTH;
  }

  /** Returns the encoding, or its hash if the encoding is too long for a key. */
  byte[] toKey() {
    return isLong() ? new KeyBuffer().add(HASHED).add(hash()).toBytes() : toBytes();
  }

  /** Returns the SHA-256 of the encoding. */
  byte[] hash() {
    return Sha256.sha256(toBytes());
  }
}
