package io.kvreactive.internal.store.file;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a second process, and a second store of this process, out of a directory. The operating
 * system drops the lock when the process ends, however it ends.
 */
public final class DirectoryLock implements Closeable {
  private static final String FILE = "lock";

  private final FileChannel channel;

  private DirectoryLock(FileChannel channel) {
    this.channel = channel;
  }

  /**
   * Takes the lock and writes our process id into the lock file.
   *
   * @throws KvException LOCKED, naming the process that holds it
   */
  public static DirectoryLock acquire(Path directory) throws IOException {
    FileChannel channel =
        FileChannel.open(
            directory.resolve(FILE),
            StandardOpenOption.CREATE,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE);
    FileLock lock = tryLock(channel);
    if (lock == null) {
      String holder = holder(channel);
      channel.close();
      throw new KvException(
          KvErrorCode.LOCKED,
          directory + " is open in process " + holder + " (expected: one process at a time)");
    }
    channel.truncate(0);
    channel.write(
        ByteBuffer.wrap(
            Long.toString(ProcessHandle.current().pid()).getBytes(StandardCharsets.US_ASCII)),
        0);
    return new DirectoryLock(channel);
  }

  private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
    try {
      return channel.tryLock();
    } catch (OverlappingFileLockException e) {
      return null; // this very process holds it
    }
  }

  private static String holder(FileChannel channel) throws IOException {
    ByteBuffer pid = ByteBuffer.allocate(20);
    channel.read(pid, 0);
    return new String(pid.array(), 0, pid.position(), StandardCharsets.US_ASCII);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
