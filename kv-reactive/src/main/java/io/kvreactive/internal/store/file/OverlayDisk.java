package io.kvreactive.internal.store.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;

/**
 * The file system, but what is written stays in memory, in front of files that are only read. So
 * what opening a store would repair can be looked at without being repaired. Each opening of a file
 * starts from what is on the disk.
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
