package io.kvreactive.documents.internal.encoding;

import java.util.Arrays;

/** A buffer for the bytes of a key. */
public final class KeyBuffer {
  private byte[] bytes;
  private int size;

  public KeyBuffer() {
    this(64);
  }

  KeyBuffer(int capacity) {
    bytes = new byte[capacity];
  }

  public KeyBuffer add(int value) {
    reserve(1);
    bytes[size++] = (byte) value;
    return this;
  }

  public KeyBuffer add(byte[] more) {
    return add(more, more.length);
  }

  public KeyBuffer add(byte[] more, int length) {
    reserve(length);
    System.arraycopy(more, 0, bytes, size, length);
    size += length;
    return this;
  }

  /** Appends the lowest bytes of a number in big-endian order. */
  public KeyBuffer add(long number, int length) {
    for (int shift = (length - 1) * 8; shift >= 0; shift -= 8) {
      add((int) (number >>> shift));
    }
    return this;
  }

  public int size() {
    return size;
  }

  /** Discards all bytes after the first {@code newSize} bytes. */
  public void truncate(int newSize) {
    size = newSize;
  }

  /** Inverts all bits from an offset on, which reverses the order. */
  void complement(int from) {
    for (int i = from; i < size; i++) {
      bytes[i] = (byte) ~bytes[i];
    }
  }

  public byte[] toBytes() {
    return Arrays.copyOf(bytes, size);
  }

  private void reserve(int more) {
    if (more > bytes.length - size) {
      bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, size + more));
    }
  }
}
