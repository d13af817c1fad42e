package io.kvreactive.internal.store;

import io.kvreactive.internal.store.file.DataFile;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Base of files that change the behaviour of another file. All calls are forwarded to it. */
abstract class WrappedFile implements DataFile {
  private final DataFile file;

  WrappedFile(DataFile file) {
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
    file.write(source, position);
  }

  @Override
  public void sync() throws IOException {
    file.sync();
  }

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
