package io.kvreactive.internal.store.log;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Finds the complete frames after a damaged place of a segment.
 *
 * <p>Takes time linear in the bytes, whatever they are: a value may be full of frame headers, each
 * of which claims the rest of the segment as its payload. So checksums are not computed frame by
 * frame. The checksums of all prefixes are computed once, and that of a frame follows from two of
 * them: CRCs of adjacent byte strings are combined by a multiplication in GF(2)[x] (as in zlib's
 * {@code crc32_combine}). Not thread-safe.
 */
final class FrameScan {
  /** Result of {@link #newestDurable} if there is no frame. */
  static final long NONE = -1;

  private static final int BLOCK = 64;
  private static final int POLYNOMIAL = 0x82F63B78; // CRC32C, reflected
  private static final int ONE = 1 << 31; // x^0, reflected
  private static final int[] SQUARES = squares();
  private static final int[] FACTORS = factors();

  private final ByteBuffer bytes;
  private final int salted;
  private int[] prefixes = {}; // checksums of the bytes before each block
  private int[] offsets = new int[16];
  private long[] durables = new long[16]; // per frame, the maximum of this and all later frames
  private int count;

  /**
   * Scans the bytes.
   *
   * @param segment the bytes of the segment
   * @param salt the start of the store's checksums
   * @param from the offset at which the scan starts
   * @param first the first version of the segment
   */
  FrameScan(ByteBuffer segment, long salt, int from, long first) {
    this.bytes = segment;
    CRC32C crc = new CRC32C();
    crc.update(Frame.saltBytes(salt));
    this.salted = (int) crc.getValue();
    int at = from;
    while (at <= bytes.limit() - Frame.HEADER) {
      at += isWhole(at, first) ? add(at) : Frame.ALIGNMENT;
    }
    for (int i = count - 2; i >= 0; i--) {
      durables[i] = Math.max(durables[i], durables[i + 1]);
    }
  }

  private int add(int at) {
    if (count == offsets.length) {
      offsets = Arrays.copyOf(offsets, 2 * count);
      durables = Arrays.copyOf(durables, 2 * count);
    }
    Frame frame = Frame.of(bytes, at);
    offsets[count] = at;
    durables[count++] = frame.durable();
    return frame.length();
  }

  /** Returns the newest durable version named by a frame at or after an offset, or NONE. */
  long newestDurable(int from) {
    int i = index(from);
    return i < count ? durables[i] : NONE;
  }

  /** Returns the offset of the first frame at or after an offset; -1 if there is none. */
  int next(int from) {
    int i = index(from);
    return i < count ? offsets[i] : -1;
  }

  /** Returns the closing frame of the segment, or null. */
  @Nullable Frame closing() {
    Frame last = count == 0 ? null : Frame.of(bytes, offsets[count - 1]);
    return last != null && last.isClosing() ? last : null;
  }

  /** Returns the offset of the last frame; -1 if there is none. */
  int last() {
    return count == 0 ? -1 : offsets[count - 1];
  }

  private int index(int from) {
    int at = Arrays.binarySearch(offsets, 0, count, from);
    return at < 0 ? -at - 1 : at;
  }

  private boolean isWhole(int at, long least) {
    if (!Frame.isPlausible(bytes, at)) {
      return false;
    }
    long first = Frame.first(bytes, at);
    if (first < least || first - least > bytes.limit()) {
      return false; // a commit takes at least one byte
    }
    int start = at + Frame.CHECKED;
    int end = at + Frame.HEADER + bytes.getInt(at + 4);
    int computed = multiply(power(end - start), salted ^ prefix(start)) ^ prefix(end);
    return computed == Frame.storedChecksum(bytes, at);
  }

  /** Returns the checksum of the bytes before an offset. */
  private int prefix(int end) {
    if (prefixes.length == 0) {
      prefixes = new int[bytes.limit() / BLOCK + 1];
      CRC32C crc = new CRC32C();
      for (int i = 1; i < prefixes.length; i++) {
        crc.update(bytes.slice((i - 1) * BLOCK, BLOCK));
        prefixes[i] = (int) crc.getValue();
      }
    }
    int block = end / BLOCK;
    int rest = end % BLOCK;
    if (rest == 0) {
      return prefixes[block];
    }
    CRC32C crc = new CRC32C();
    crc.update(bytes.slice(block * BLOCK, rest));
    return multiply(FACTORS[rest], prefixes[block]) ^ (int) crc.getValue();
  }

  // ---- polynomials over GF(2) modulo that of CRC32C; bit 31 is the coefficient of x^0

  private static int multiply(int a, int b) {
    int product = 0;
    int shifted = b;
    for (int rest = a; rest != 0; rest <<= 1) {
      product ^= shifted & rest >> 31;
      shifted = shifted >>> 1 ^ POLYNOMIAL & -(shifted & 1);
    }
    return product;
  }

  /** Returns x^(8 length). */
  private static int power(int length) {
    int power = ONE;
    for (int i = 3, rest = length; rest != 0; i++, rest >>>= 1) {
      if ((rest & 1) != 0) {
        power = multiply(power, SQUARES[i]);
      }
    }
    return power;
  }

  /** Returns x^(2^i) for each i. */
  private static int[] squares() {
    int[] squares = new int[3 + Integer.SIZE];
    squares[0] = ONE >>> 1;
    for (int i = 1; i < squares.length; i++) {
      squares[i] = multiply(squares[i - 1], squares[i - 1]);
    }
    return squares;
  }

  /** Returns x^(8 i) for each i below a block's length. */
  private static int[] factors() {
    int[] factors = new int[BLOCK];
    for (int i = 0; i < BLOCK; i++) {
      factors[i] = power(i);
    }
    return factors;
  }
}
