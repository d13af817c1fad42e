package io.kvreactive.internal.store;

import io.kvreactive.internal.store.file.DataFile;
import io.kvreactive.internal.store.file.Disk;
import io.kvreactive.internal.store.file.FileDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The real file system, with a record of every operation that a power loss could undo. */
public final class RecordingDisk implements Disk {
  /** An operation on a file, or on the directory for the last. */
  public sealed interface Op {
    record Create(String file) implements Op {}

    record Write(String file, long position, byte[] bytes) implements Op {}

    record Resize(String file, long size) implements Op {}

    record Sync(String file) implements Op {}

    record Delete(String file) implements Op {}

    record SyncDirectory() implements Op {}
  }

  private final FileDisk real = new FileDisk();
  private final List<Op> ops = new ArrayList<>();

  public synchronized int count() {
    return ops.size();
  }

  public synchronized List<Op> ops() {
    return List.copyOf(ops);
  }

  private synchronized void record(Op op) {
    ops.add(op);
  }

  @Override
  public DataFile open(Path file) throws IOException {
    String name = file.getFileName().toString();
    record(new Op.Create(name));
    return new RecordingFile(name, real.open(file));
  }

  @Override
  public void delete(Path file) throws IOException {
    record(new Op.Delete(file.getFileName().toString()));
    real.delete(file);
  }

  @Override
  public void syncDirectory(Path directory) throws IOException {
    real.syncDirectory(directory);
    record(new Op.SyncDirectory());
  }

  private final class RecordingFile extends WrappedFile {
    private final String name;

    RecordingFile(String name, DataFile file) {
      super(file);
      this.name = name;
    }

    @Override
    public void write(ByteBuffer source, long position) throws IOException {
      byte[] bytes = new byte[source.remaining()];
      source.duplicate().get(bytes);
      record(new Op.Write(name, position, bytes));
      super.write(source, position);
    }

    @Override
    public void sync() throws IOException {
      super.sync();
      record(new Op.Sync(name));
    }

    @Override
    public void resize(long size) throws IOException {
      record(new Op.Resize(name, size));
      super.resize(size);
    }
  }
}
