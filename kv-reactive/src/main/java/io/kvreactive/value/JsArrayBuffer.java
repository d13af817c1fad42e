package io.kvreactive.value;

import org.jspecify.annotations.Nullable;

/**
 * A JavaScript {@code ArrayBuffer}: the memory that typed arrays look at.
 *
 * <p>Identity is that of the byte array: two of these around the same array are the same buffer
 * once stored, and so is the {@code Uint8Array} that a plain {@code byte[]} in a value stands for.
 */
public final class JsArrayBuffer {
  private static final long FIXED = -1;

  private final byte[] bytes;
  private final long maxByteLength;

  /** A buffer of fixed size around these bytes, which are not copied. */
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
   * @param maxByteLength up to how many bytes; nothing is allocated for it
   * @throws IllegalArgumentException when that is less than the present length
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

  /** How many bytes. */
  public int byteLength() {
    return bytes.length;
  }

  /** Returns true if it was made with a maximum length. */
  public boolean isResizable() {
    return maxByteLength != FIXED;
  }

  /** Returns the maximum length in bytes; of a fixed buffer, its length. */
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
