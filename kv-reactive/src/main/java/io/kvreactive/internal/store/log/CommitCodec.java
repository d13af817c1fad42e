package io.kvreactive.internal.store.log;

import io.kvreactive.KvValue;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The payload of a frame: for each commit the number of its effects, then the effects. An effect is
 * a byte (low half: kind, high half: value encoding), the key, and for a range deletion its end,
 * for a set its value. Byte strings carry their length in front; all lengths are base-128 varints.
 */
final class CommitCodec {
  private static final int MAX_VARINT = 5;

  private CommitCodec() {}

  /** An upper bound of the encoded size. */
  static long maxSize(List<Effect> effects) {
    long size = MAX_VARINT;
    for (Effect effect : effects) {
      size += 1 + MAX_VARINT + effect.key().length;
      if (effect.end() != null) {
        size += MAX_VARINT + effect.end().length;
      }
      if (effect.value() != null) {
        size += MAX_VARINT + effect.value().bytes().length;
      }
    }
    return size;
  }

  static void write(ByteBuffer out, List<Effect> effects) {
    putVarint(out, effects.size());
    for (Effect effect : effects) {
      KvValue value = effect.value();
      int encoding = value == null ? 0 : value.encoding().code();
      out.put((byte) (encoding << 4 | effect.kind().code()));
      putBytes(out, effect.key());
      if (effect.end() != null) {
        putBytes(out, effect.end());
      }
      if (value != null) {
        putBytes(out, value.bytes());
      }
    }
  }

  /**
   * Reads one commit's effects.
   *
   * @throws IllegalArgumentException when the bytes are none, which a checksum makes a defect
   */
  static List<Effect> read(ByteBuffer in) {
    try {
      int count = getVarint(in);
      List<Effect> effects = new ArrayList<>(Math.min(count, in.remaining()));
      for (int i = 0; i < count; i++) {
        int head = in.get();
        byte[] key = getBytes(in);
        effects.add(
            switch (head & 0xF) {
              case 1 -> Effect.set(key, value(head >> 4, in));
              case 2 -> Effect.delete(key);
              case 3 -> Effect.deleteRange(key, getBytes(in));
              default -> throw new IllegalArgumentException("effect kind " + (head & 0xF));
            });
      }
      return effects;
    } catch (BufferUnderflowException e) {
      throw new IllegalArgumentException("commit ends early", e);
    }
  }

  private static KvValue value(int encoding, ByteBuffer in) {
    return new KvValue(KvValue.Encoding.of(encoding), getBytes(in));
  }

  private static void putBytes(ByteBuffer out, byte[] bytes) {
    putVarint(out, bytes.length);
    out.put(bytes);
  }

  private static byte[] getBytes(ByteBuffer in) {
    int length = getVarint(in);
    if (length < 0 || length > in.remaining()) {
      throw new BufferUnderflowException();
    }
    byte[] bytes = new byte[length];
    in.get(bytes);
    return bytes;
  }

  private static void putVarint(ByteBuffer out, int value) {
    int rest = value;
    while ((rest & ~0x7F) != 0) {
      out.put((byte) (rest | 0x80));
      rest >>>= 7;
    }
    out.put((byte) rest);
  }

  private static int getVarint(ByteBuffer in) {
    int value = 0;
    for (int shift = 0; shift < 7 * MAX_VARINT; shift += 7) {
      byte b = in.get();
      value |= (b & 0x7F) << shift;
      if (b >= 0) {
        return value;
      }
    }
    throw new IllegalArgumentException("varint of more than " + MAX_VARINT + " bytes");
  }
}
