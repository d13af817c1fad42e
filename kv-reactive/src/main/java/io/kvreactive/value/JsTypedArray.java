package io.kvreactive.value;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * A JavaScript typed array or {@code DataView}: a view of a {@link JsArrayBuffer}. A {@code
 * Uint8Array} that covers a whole buffer that no other view shares is decoded as a plain {@code
 * byte[]} instead.
 */
public final class JsTypedArray {
  /** The kinds of view, with the letters of V8's format. */
  public enum Kind {
    INT8('b', 1),
    UINT8('B', 1),
    UINT8_CLAMPED('C', 1),
    INT16('w', 2),
    UINT16('W', 2),
    INT32('d', 4),
    UINT32('D', 4),
    FLOAT16('h', 2),
    FLOAT32('f', 4),
    FLOAT64('F', 8),
    BIG_INT64('q', 8),
    BIG_UINT64('Q', 8),
    DATA_VIEW('?', 1);

    private static final @Nullable Kind[] BY_CODE = new Kind[128];

    static {
      for (Kind kind : values()) {
        BY_CODE[kind.code] = kind;
      }
    }

    private final int code;
    private final int elementSize;

    Kind(char code, int elementSize) {
      this.code = code;
      this.elementSize = elementSize;
    }

    /** Returns the letter in V8's format. */
    public int code() {
      return code;
    }

    /** Returns the bytes per element; 1 for a DataView. */
    public int elementSize() {
      return elementSize;
    }

    /** Returns the kind of that letter, or null. */
    public static @Nullable Kind of(long code) {
      return code >= 0 && code < BY_CODE.length ? BY_CODE[(int) code] : null;
    }
  }

  private static final int TRACKING = -1;

  private final Kind kind;
  private final JsArrayBuffer buffer;
  private final int byteOffset;
  private final int byteLength;

  /**
   * Creates a view of fixed offset and length.
   *
   * @throws IllegalArgumentException if the view is not within the buffer, or offset or length is
   *     not a multiple of the element size
   */
  public JsTypedArray(Kind kind, JsArrayBuffer buffer, int byteOffset, int byteLength) {
    this(kind, buffer, byteOffset, byteLength, byteLength);
  }

  private JsTypedArray(
      Kind kind, JsArrayBuffer buffer, int byteOffset, int byteLength, int keptLength) {
    if (byteOffset < 0
        || byteLength < 0
        || byteLength > buffer.byteLength() - byteOffset
        || byteOffset % kind.elementSize != 0
        || byteLength % kind.elementSize != 0) {
      throw new IllegalArgumentException(
          kind + " view: offset " + byteOffset + ", length " + byteLength + " on " + buffer);
    }
    this.kind = kind;
    this.buffer = buffer;
    this.byteOffset = byteOffset;
    this.byteLength = keptLength;
  }

  /**
   * Returns a length-tracking view, which always reaches to the end of a resizable buffer.
   *
   * @throws IllegalArgumentException if the buffer is not resizable, or the offset does not fit
   */
  public static JsTypedArray tracking(Kind kind, JsArrayBuffer buffer, int byteOffset) {
    if (!buffer.isResizable()) {
      throw new IllegalArgumentException("a length-tracking view needs a resizable " + buffer);
    }
    return new JsTypedArray(kind, buffer, byteOffset, 0, TRACKING);
  }

  /**
   * Returns a view of a whole new buffer.
   *
   * @param littleEndian the elements' bytes, not copied
   */
  public static JsTypedArray of(Kind kind, byte[] littleEndian) {
    return new JsTypedArray(kind, new JsArrayBuffer(littleEndian), 0, littleEndian.length);
  }

  /** Returns a {@code Float64Array} of these elements. */
  public static JsTypedArray of(double... elements) {
    ByteBuffer bytes =
        ByteBuffer.allocate(Math.multiplyExact(elements.length, 8)).order(ByteOrder.LITTLE_ENDIAN);
    bytes.asDoubleBuffer().put(elements);
    return of(Kind.FLOAT64, bytes.array());
  }

  /** Returns a {@code Float32Array} of these elements. */
  public static JsTypedArray of(float... elements) {
    ByteBuffer bytes =
        ByteBuffer.allocate(Math.multiplyExact(elements.length, 4)).order(ByteOrder.LITTLE_ENDIAN);
    bytes.asFloatBuffer().put(elements);
    return of(Kind.FLOAT32, bytes.array());
  }

  public Kind kind() {
    return kind;
  }

  /** Returns the underlying buffer. */
  public JsArrayBuffer buffer() {
    return buffer;
  }

  /** Returns the offset in the buffer, in bytes. */
  public int byteOffset() {
    return byteOffset;
  }

  /**
   * Returns the length in bytes; for a {@linkplain #isLengthTracking() length-tracking} view, the
   * largest that fits.
   */
  public int byteLength() {
    if (!isLengthTracking()) {
      return byteLength;
    }
    int rest = buffer.byteLength() - byteOffset;
    return rest - rest % kind.elementSize;
  }

  /** Returns true if the view reaches to the end of a resizable buffer. */
  public boolean isLengthTracking() {
    return byteLength == TRACKING;
  }

  /**
   * Returns the covered bytes as a writable view, little-endian as on every machine that Deno
   * supports.
   */
  public ByteBuffer byteBuffer() {
    return ByteBuffer.wrap(buffer.bytes(), byteOffset, byteLength())
        .slice()
        .order(ByteOrder.LITTLE_ENDIAN);
  }

  @Override
  public String toString() {
    return kind + "(" + byteLength() / kind.elementSize + ")";
  }
}
