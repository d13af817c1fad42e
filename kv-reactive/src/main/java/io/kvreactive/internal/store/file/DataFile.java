package io.kvreactive.internal.store.file;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * An open file with positioned access. Not thread-safe, except that {@link #sync} may overlap other
 * calls.
 */
public interface DataFile extends Closeable {
  long size() throws IOException;

  /** Reads until the buffer is full or the file ends. */
  void read(ByteBuffer target, long position) throws IOException;

  /** Writes the whole buffer, extending the file if necessary. */
  void write(ByteBuffer source, long position) throws IOException;

  /** Returns when everything written is on the medium (fdatasync). */
  void sync() throws IOException;

  /** Truncates or extends the file. An extension reads as zeros and occupies no space yet. */
  void resize(long size) throws IOException;

  /** Returns a read-only mapping in which later writes through {@link #write} are visible. */
  ByteBuffer map(long position, long length) throws IOException;
}
