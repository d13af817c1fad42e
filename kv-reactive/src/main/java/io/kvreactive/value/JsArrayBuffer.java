package io.kvreactive.value;

import org.jspecify.annotations.Nullable;

/**
 * A JavaScript {@code ArrayBuffer}: the memory behind typed arrays.
 *
 * <p>Identity is that of the byte array: two instances around the same array are stored as one
 * buffer, together with the {@code Uint8Array} as which a plain {@code byte[]} in a value is
 * stored.
 */
public final class JsArrayBuffer {
  private static final long FIXED = -1;

  private final byte[] bytes;
  private final long maxByteLength;

  /** Creates a buffer of fixed size around these bytes, which are not copied. */
  public JsArrayBuffer(byte[] bytes) {
    this.bytes = bytes;
    this.maxByteLength = FIXED;
  }

  private JsArrayBuffer(byte[] bytes, long maxByteLength) {
    this.bytes = bytes;
    this.maxByteLength = maxByteLength;
  }

  /**
   * Returns a buffer that JavaScript may resize.
   *
   * @param bytes the present content, not copied
   * @param maxByteLength the maximum length in bytes, which is not allocated
   * @throws IllegalArgumentException if the maximum is less than the present length
   */
  public static JsArrayBuffer resizable(byte[] bytes, long maxByteLength) {
    if (maxByteLength < bytes.length) {
      throw new IllegalArgumentException(
          "maxByteLength: " + maxByteLength + " (expected: at least " + bytes.length + ")");
    }
    return new JsArrayBuffer(bytes, maxByteLength);
  }

  /** Returns the bytes themselves, not a copy. */
  public byte[] bytes() {
    return bytes;
  }

  /** Returns the length in bytes. */
  public int byteLength() {
    return bytes.length;
  }

  /** Returns true if the buffer has a maximum length. */
  public boolean isResizable() {
    return maxByteLength != FIXED;
  }

  /** Returns the maximum length in bytes; for a fixed buffer, its length. */
  public long maxByteLength() {
    return isResizable() ? maxByteLength : bytes.length;
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // identity is that of the storage
  public boolean equals(@Nullable Object o) {
    return o instanceof JsArrayBuffer other && bytes == other.bytes;
  }

  @Override
  public int hashCode() {
    return System.identityHashCode(bytes);
  }

  @Override
  public String toString() {
    return "ArrayBuffer(" + bytes.length + (isResizable() ? " of " + maxByteLength : "") + ")";
  }
}
