package io.kvreactive.internal.store.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;

/**
 * The file system with writes kept in memory, in front of files that are only read. So the repairs
 * of opening a store can be inspected without being made. Each opening of a file starts with its
 * content on the disk.
 */
public final class OverlayDisk implements Disk {
  private final Set<Path> changed = new TreeSet<>();

  @Override
  public DataFile open(Path file) throws IOException {
    return new OverlayFile(file, () -> noteChange(file));
  }

  @Override
  public void delete(Path file) {
    noteChange(file);
  }

  @Override
  public void syncDirectory(Path directory) {}

  private void noteChange(Path file) {
    if (Files.exists(file)) {
      changed.add(file);
    }
  }

  /** Returns the files on the disk that would have been changed so far. */
  public Set<Path> changed() {
    return Set.copyOf(changed);
  }
}
