package io.kvreactive.internal.store;

import io.kvreactive.internal.store.file.DataFile;
import io.kvreactive.internal.store.file.Disk;
import io.kvreactive.internal.store.file.FileDisk;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** A real file system that fails on demand. */
public final class FaultyDisk implements Disk {
  private final FileDisk real = new FileDisk();

  /** Part of the names of files whose writes fail for lack of space after {@link #writesLeft}. */
  public volatile String fullFor = "nothing";

  public volatile int writesLeft;

  /** Syncs of files whose name contains this fail. */
  public volatile String brokenFor = "nothing";

  /** Opening files whose name contains this fails: the process has no descriptors left. */
  public volatile String noDescriptorsFor = "nothing";

  /** Deleting files whose name contains this fails. */
  public volatile String undeletable = "nothing";

  /** Syncing directories fails. */
  public volatile boolean noDirectorySync;

  /** Simulates other threads: runs just before a sync, and before a deletion. */
  public volatile Runnable beforeSync = () -> {};

  public volatile Runnable beforeDelete = () -> {};

  @Override
  public DataFile open(Path file) throws IOException {
    if (file.getFileName().toString().contains(noDescriptorsFor)) {
      throw new FileNotFoundException(file + " (Too many open files)");
    }
    return new FaultyFile(file.getFileName().toString(), real.open(file));
  }

  @Override
  public void delete(Path file) throws IOException {
    beforeDelete.run();
    if (file.getFileName().toString().contains(undeletable)) {
      throw new IOException("Operation not permitted");
    }
    real.delete(file);
  }

  @Override
  public void syncDirectory(Path directory) throws IOException {
    if (noDirectorySync) {
      throw new IOException(directory + ": Too many open files");
    }
    real.syncDirectory(directory);
  }

  private final class FaultyFile extends WrappedFile {
    private final String name;

    FaultyFile(String name, DataFile file) {
      super(file);
      this.name = name;
    }

    @Override
    public void write(ByteBuffer source, long position) throws IOException {
      if (name.contains(fullFor) && writesLeft-- <= 0) {
        throw new IOException("No space left on device");
      }
      super.write(source, position);
    }

    @Override
    public void sync() throws IOException {
      beforeSync.run();
      if (name.contains(brokenFor)) {
        throw new IOException("Input/output error");
      }
      super.sync();
    }
  }
}
