package io.kvreactive.postgres.internal;

import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** Conversion between byte strings and the buffers that the client takes and returns. */
final class Buffers {
  private Buffers() {}

  static @Nullable Buffer of(byte @Nullable [] bytes) {
    return bytes == null ? null : Buffer.buffer(bytes);
  }

  static Buffer[] array(Collection<byte[]> all) {
    return all.stream().map(Buffer::buffer).toArray(Buffer[]::new);
  }

  /** Returns the bytes in a column, or null if it is null. */
  static byte @Nullable [] bytes(Row row, int column) {
    Buffer buffer = row.getBuffer(column);
    return buffer == null ? null : buffer.getBytes();
  }
}
