package io.kvreactive.internal.store.file;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Every file operation whose order matters for crash safety. The real one is {@link FileDisk};
 * tests put a recording one in front of it and rebuild from its record what a power loss leaves.
 */
public interface Disk {
  /** Opens for reading and writing; creates the file when it is absent. */
  DataFile open(Path file) throws IOException;

  void delete(Path file) throws IOException;

  /** Makes creations and deletions in the directory durable. */
  void syncDirectory(Path directory) throws IOException;
}
