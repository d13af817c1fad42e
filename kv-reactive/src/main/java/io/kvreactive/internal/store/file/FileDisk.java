package io.kvreactive.internal.store.file;

import java.io.EOFException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** The file system. */
public final class FileDisk implements Disk {
  @Override
  public DataFile open(Path file) throws IOException {
    return new ChannelFile(new RandomAccessFile(file.toFile(), "rw"));
  }

  @Override
  public void delete(Path file) throws IOException {
    Files.deleteIfExists(file);
  }

  @Override
  public void syncDirectory(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  /** Reads until the buffer is full or the file ends. */
  static void read(FileChannel channel, ByteBuffer target, long position) throws IOException {
    long at = position;
    while (target.hasRemaining()) {
      int n = channel.read(target, at);
      if (n < 0) {
        return;
      }
      at += n;
    }
  }

  private static final class ChannelFile implements DataFile {
    private final RandomAccessFile file;
    private final FileChannel channel;

    ChannelFile(RandomAccessFile file) {
      this.file = file;
      this.channel = file.getChannel();
    }

    @Override
    public long size() throws IOException {
      return channel.size();
    }

    @Override
    public void read(ByteBuffer target, long position) throws IOException {
      FileDisk.read(channel, target, position);
    }

    @Override
    public void write(ByteBuffer source, long position) throws IOException {
      long at = position;
      while (source.hasRemaining()) {
        int n = channel.write(source, at);
        if (n <= 0) {
          throw new EOFException("wrote nothing at " + at);
        }
        at += n;
      }
    }

    @Override
    public void sync() throws IOException {
      channel.force(false);
    }

    @Override
    public void resize(long size) throws IOException {
      file.setLength(size);
    }

    @Override
    public MappedByteBuffer map(long position, long length) throws IOException {
      return channel.map(MapMode.READ_ONLY, position, length);
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
