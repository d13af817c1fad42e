package io.kvreactive.internal.value;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Reads and writes eight bytes in little-endian order, as in V8's format and KvU64. */
final class LittleEndian {
  private static final VarHandle INT64 =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private LittleEndian() {}

  static void put(byte[] bytes, int offset, long bits) {
    INT64.set(bytes, offset, bits);
  }

  static long get(byte[] bytes, int offset) {
    return (long) INT64.get(bytes, offset);
  }
}
