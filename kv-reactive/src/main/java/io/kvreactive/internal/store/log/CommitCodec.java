package io.kvreactive.internal.store.log;

import io.kvreactive.KvValue;
import io.kvreactive.spi.StoredChange;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Encodes the payload of a frame: for each commit the number of its effects, then the effects. Byte
 * strings have their length in front; numbers are base-128 varints. An effect is
 *
 * <pre>
 * byte    bits 0-2 kind, 3-4 encoding of the value, 5 whether it expires, 6 whether the key was
 *     present before, 7 whether the old value follows
 * bytes   key
 * bytes   end of the range, for a range deletion
 * bytes   value, for a set
 * number  expiry, if bit 5 is set
 * number  old version, if bit 6 is set
 * byte, bytes  encoding and old value, if bit 7 is set
 * </pre>
 */
final class CommitCodec {
  private static final int MAX_VARINT = 5;
  private static final int MAX_LONG = 10;
  private static final int KIND = 0x07;
  private static final int ENCODING_SHIFT = 3;
  private static final int ENCODING = 0x03;
  private static final int EXPIRES = 0x20;
  private static final int EXISTED = 0x40;
  private static final int OLD_VALUE = 0x80;

  private CommitCodec() {}

  /** Returns an upper bound of the encoded size. */
  static long maxSize(List<StoredChange> effects) {
    long size = MAX_VARINT;
    for (StoredChange effect : effects) {
      size += 2 + 2 * MAX_LONG + MAX_VARINT + effect.key().length;
      if (effect.end() != null) {
        size += MAX_VARINT + effect.end().length;
      }
      size += size(effect.value()) + size(effect.oldValue());
    }
    return size;
  }

  private static int size(@Nullable KvValue value) {
    return value == null ? 0 : MAX_VARINT + value.bytes().length;
  }

  static void write(ByteBuffer out, List<StoredChange> effects) {
    putVarint(out, effects.size());
    for (StoredChange effect : effects) {
      write(out, effect);
    }
  }

  private static void write(ByteBuffer out, StoredChange effect) {
    KvValue value = effect.kind() == StoredChange.Kind.SET ? effect.value() : null;
    KvValue old = effect.oldValue();
    int encoding = value == null ? 0 : value.encoding().code();
    out.put(
        (byte)
            (effect.kind().code()
                | encoding << ENCODING_SHIFT
                | (effect.expireAt() == 0 ? 0 : EXPIRES)
                | (effect.oldVersion() == 0 ? 0 : EXISTED)
                | (old == null ? 0 : OLD_VALUE)));
    putBytes(out, effect.key());
    if (effect.end() != null) {
      putBytes(out, effect.end());
    }
    if (value != null) {
      putBytes(out, value.bytes());
    }
    if (effect.expireAt() != 0) {
      putVarint(out, effect.expireAt());
    }
    if (effect.oldVersion() != 0) {
      putVarint(out, effect.oldVersion());
    }
    if (old != null) {
      out.put((byte) old.encoding().code());
      putBytes(out, old.bytes());
    }
  }

  /**
   * Reads one commit's effects.
   *
   * @throws IllegalArgumentException if the bytes are malformed; after a valid checksum, this is a
   *     defect
   */
  static List<StoredChange> read(ByteBuffer in) {
    try {
      int count = getLength(in);
      List<StoredChange> effects = new ArrayList<>(Math.min(count, in.remaining()));
      for (int i = 0; i < count; i++) {
        effects.add(readEffect(in));
      }
      return effects;
    } catch (BufferUnderflowException e) {
      throw new IllegalArgumentException("commit ends early", e);
    }
  }

  private static StoredChange readEffect(ByteBuffer in) {
    int head = in.get();
    StoredChange.Kind kind = StoredChange.Kind.of(head & KIND);
    byte[] key = getBytes(in);
    byte[] end = kind == StoredChange.Kind.DELETE_RANGE ? getBytes(in) : null;
    KvValue value =
        kind == StoredChange.Kind.SET ? value(head >> ENCODING_SHIFT & ENCODING, in) : null;
    long expireAt = (head & EXPIRES) == 0 ? 0 : getVarint(in);
    long oldVersion = (head & EXISTED) == 0 ? 0 : getVarint(in);
    KvValue oldValue = (head & OLD_VALUE) == 0 ? null : value(in.get(), in);
    return new StoredChange(kind, key, end, value, expireAt, oldVersion, oldValue);
  }

  private static KvValue value(int encoding, ByteBuffer in) {
    return new KvValue(KvValue.Encoding.of(encoding), getBytes(in));
  }

  private static void putBytes(ByteBuffer out, byte[] bytes) {
    putVarint(out, bytes.length);
    out.put(bytes);
  }

  private static byte[] getBytes(ByteBuffer in) {
    int length = getLength(in);
    byte[] bytes = new byte[length];
    in.get(bytes);
    return bytes;
  }

  /** Reads a length, which must be at most the number of remaining bytes. */
  private static int getLength(ByteBuffer in) {
    long length = getVarint(in);
    if (length < 0 || length > in.remaining()) {
      throw new BufferUnderflowException();
    }
    return (int) length;
  }

  private static void putVarint(ByteBuffer out, long value) {
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      out.put((byte) (rest | 0x80));
      rest >>>= 7;
    }
    out.put((byte) rest);
  }

  private static long getVarint(ByteBuffer in) {
    long value = 0;
    for (int shift = 0; shift < 7 * MAX_LONG; shift += 7) {
      byte b = in.get();
      value |= (b & 0x7FL) << shift;
      if (b >= 0) {
        return value;
      }
    }
    throw new IllegalArgumentException("varint of more than " + MAX_LONG + " bytes");
  }
}
