package io.kvreactive.internal.store;

import io.kvreactive.internal.store.file.DataFile;
import io.kvreactive.internal.store.file.Disk;
import io.kvreactive.internal.store.file.FileDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** Files that need not outlive a power loss, for tests that would sync thousands of times. */
final class UnsyncedDisk implements Disk {
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

  private record UnsyncedFile(DataFile file) implements DataFile {
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
      file.write(source, position);
    }

    @Override
    public void sync() {}

    @Override
    public void resize(long size) throws IOException {
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
