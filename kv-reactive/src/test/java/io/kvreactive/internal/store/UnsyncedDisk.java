package io.kvreactive.internal.store;

import io.kvreactive.internal.store.file.DataFile;
import io.kvreactive.internal.store.file.Disk;
import io.kvreactive.internal.store.file.FileDisk;
import java.io.IOException;
import java.nio.file.Path;

/** Files without syncs, for tests that would sync thousands of times. */
public final class UnsyncedDisk implements Disk {
  private final FileDisk files = new FileDisk();

  @Override
  public DataFile open(Path file) throws IOException {
    return new UnsyncedFile(files.open(file));
  }

  @Override
  public void delete(Path file) throws IOException {
    files.delete(file);
  }

  @Override
  public void syncDirectory(Path directory) {}

  private static final class UnsyncedFile extends WrappedFile {
    UnsyncedFile(DataFile file) {
      super(file);
    }

    @Override
    public void sync() {}
  }
}
