package io.kvreactive.internal.store;

import io.kvreactive.internal.store.file.DataFile;
import io.kvreactive.internal.store.file.Disk;
import io.kvreactive.internal.store.file.FileDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** A file system whose process ends before a given change. */
final class CrashingDisk implements Disk {
  private final FileDisk files = new FileDisk();
  private int left;
  private boolean crashed;

  /**
   * @param changes the number of changes before the end
   */
  CrashingDisk(int changes) {
    this.left = changes;
  }

  boolean hasCrashed() {
    return crashed;
  }

  private void change() throws IOException {
    if (left-- <= 0) {
      crashed = true;
    }
    if (crashed) {
      throw new IOException("crashed");
    }
  }

  @Override
  public DataFile open(Path file) throws IOException {
    change();
    return new CrashingFile(files.open(file));
  }

  @Override
  public void delete(Path file) throws IOException {
    change();
    files.delete(file);
  }

  @Override
  public void syncDirectory(Path directory) throws IOException {
    change();
    files.syncDirectory(directory);
  }

  private final class CrashingFile extends WrappedFile {
    CrashingFile(DataFile file) {
      super(file);
    }

    @Override
    public void write(ByteBuffer source, long position) throws IOException {
      change();
      super.write(source, position);
    }

    @Override
    public void sync() throws IOException {
      change();
      super.sync();
    }

    @Override
    public void resize(long size) throws IOException {
      change();
      super.resize(size);
    }
  }
}
