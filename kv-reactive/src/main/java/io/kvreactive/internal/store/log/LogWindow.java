package io.kvreactive.internal.store.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import org.jspecify.annotations.Nullable;

/**
 * The buffered part of a segment that is being read: one buffer per thread, and a separate one for
 * a larger frame.
 */
final class LogWindow {
  static final int MIN_READ = 16 << 10;
  private static final int CHUNK = 256 << 10;
  private static final ThreadLocal<ByteBuffer> BUFFER =
      ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(CHUNK));

  private final FileChannel file;
  private int ahead = MIN_READ;
  private ByteBuffer buffer = BUFFER.get().limit(0);
  private long base;

  LogWindow(FileChannel file) {
    this.file = file;
  }

  /**
   * Returns the file from an offset on. Valid until the next call; its position and limit may be
   * changed.
   *
   * @return at least {@code length} bytes, or null if the file is shorter
   */
  @Nullable ByteBuffer at(long offset, long length) throws IOException {
    if (offset < base || offset + length > base + buffer.limit()) {
      if (offset + length > file.size()) {
        return null;
      }
      load(offset, Math.toIntExact(length));
    }
    return buffer.duplicate().position((int) (offset - base));
  }

  private void load(long offset, int length) throws IOException {
    buffer = length <= CHUNK ? BUFFER.get() : ByteBuffer.allocate(length);
    int wanted = Math.max(length, ahead);
    ahead = Math.min(CHUNK, 4 * ahead); // later reads are usually large
    base = offset;
    buffer.clear();
    while (buffer.position() < wanted) {
      buffer.limit(Math.min(wanted, buffer.position() + CHUNK));
      if (file.read(buffer, base + buffer.position()) < 0) {
        break;
      }
    }
    buffer.flip();
  }
}
