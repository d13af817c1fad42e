package io.kvreactive.internal.store;

import io.kvreactive.internal.store.file.DataFile;
import io.kvreactive.internal.store.file.Disk;
import io.kvreactive.internal.store.file.FileDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** The file system for a process that ends before one of its changes. */
final class CrashingDisk implements Disk {
  private final FileDisk files = new FileDisk();
  private int left;
  private boolean crashed;

  /**
   * @param changes how many changes are made before the end
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

  private final class CrashingFile implements DataFile {
    private final DataFile file;

    CrashingFile(DataFile file) {
      this.file = file;
    }

    @Override
    public long size() throws IOException {
      return file.size();
    }

    @Override
    public void read(ByteBuffer target, long position) throws IOException {
      file.read(target, position);
    }

    @Override
    public void write(ByteBuffer source, long position) throws IOException {
      change();
      file.write(source, position);
    }

    @Override
    public void sync() throws IOException {
      change();
      file.sync();
    }

    @Override
    public void resize(long size) throws IOException {
      change();
      file.resize(size);
    }

    @Override
    public ByteBuffer map(long position, long length) throws IOException {
      return file.map(position, length);
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
