package io.kvreactive.internal.store.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.channels.NonWritableChannelException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The read-only file system, for files that another process may be writing. Deleting, truncating
 * and syncing do nothing; writing fails.
 */
public final class ReadOnlyDisk implements Disk {
  @Override
  public DataFile open(Path file) throws IOException {
    return new ReadOnlyFile(FileChannel.open(file, StandardOpenOption.READ));
  }

  @Override
  public void delete(Path file) {}

  @Override
  public void syncDirectory(Path directory) {}

  private record ReadOnlyFile(FileChannel channel) implements DataFile {
    @Override
    public long size() throws IOException {
      return channel.size();
    }

    @Override
    public void read(ByteBuffer target, long position) throws IOException {
      FileDisk.read(channel, target, position);
    }

    @Override
    public void write(ByteBuffer source, long position) {
      throw new NonWritableChannelException();
    }

    @Override
    public void sync() {}

    @Override
    public void resize(long size) {}

    @Override
    public MappedByteBuffer map(long position, long length) throws IOException {
      return channel.map(MapMode.READ_ONLY, position, length);
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }
}
