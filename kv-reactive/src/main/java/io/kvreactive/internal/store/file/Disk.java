package io.kvreactive.internal.store.file;

import java.io.IOException;
import java.nio.file.Path;

/**
 * The file operations whose order matters for crash safety. {@link FileDisk} executes them; tests
 * record them and reconstruct the states that a power loss may leave.
 */
public interface Disk {
  /** Opens a file for reading and writing; creates it if absent. */
  DataFile open(Path file) throws IOException;

  void delete(Path file) throws IOException;

  /** Makes creations and deletions in the directory durable. */
  void syncDirectory(Path directory) throws IOException;
}
