package io.kvreactive.internal.store.file;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** One open file with positioned access. Not thread-safe, except that {@link #sync} may overlap. */
public interface DataFile extends Closeable {
  long size() throws IOException;

  /** Reads until the buffer is full or the file ends. */
  void read(ByteBuffer target, long position) throws IOException;

  /** Writes the whole buffer, growing the file where needed. */
  void write(ByteBuffer source, long position) throws IOException;

  /** Returns when all that was written is on the medium (fdatasync). */
  void sync() throws IOException;

  /** Cuts or extends the file. An extension reads as zeros and takes no room yet. */
  void resize(long size) throws IOException;

  /** Returns a read-only mapping that shows later writes through {@link #write} as well. */
  ByteBuffer map(long position, long length) throws IOException;
}
