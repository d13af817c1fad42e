package io.kvreactive.connect.internal;

import java.io.ByteArrayOutputStream;

/**
 * Converts bytes to the structured clone of a Uint8Array, where the protocol has no encoding for
 * bytes.
 */
final class Uint8Arrays {
  private static final int HEADER = 0xFF;
  private static final int VERSION = 15;
  private static final int ARRAY_BUFFER = 'B';
  private static final int VIEW = 'V';
  private static final int UINT8 = 'B';

  private Uint8Arrays() {}

  static byte[] structuredClone(byte[] bytes) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(bytes.length + 20);
    out.write(HEADER);
    out.write(VERSION);
    out.write(ARRAY_BUFFER);
    varint(out, bytes.length);
    out.writeBytes(bytes);
    out.write(VIEW);
    out.write(UINT8);
    varint(out, 0); // offset
    varint(out, bytes.length);
    varint(out, 0); // flags
    return out.toByteArray();
  }

  private static void varint(ByteArrayOutputStream out, int value) {
    int rest = value;
    while (rest > 0x7F) {
      out.write(rest & 0x7F | 0x80);
      rest >>>= 7;
    }
    out.write(rest);
  }
}
