package io.kvreactive.internal.store.file;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The lock that keeps a second process, and a second store of this process, out of a directory. The
 * operating system releases the lock when the process ends in any way.
 *
 * <p>It also releases the lock when the process closes <em>any</em> channel of the lock file. So
 * the held directories are recorded in this process, and the lock file of a held directory is not
 * opened again.
 */
public final class DirectoryLock implements Closeable {
  private static final String FILE = "lock";
  private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

  private final Path directory;
  private final FileChannel channel;

  private DirectoryLock(Path directory, FileChannel channel) {
    this.directory = directory;
    this.channel = channel;
  }

  /**
   * Acquires the lock and writes the process id into the lock file.
   *
   * @throws KvException LOCKED, naming the process that holds it
   */
  public static DirectoryLock acquire(Path directory) throws IOException {
    return acquire(directory, StandardOpenOption.CREATE);
  }

  /**
   * Acquires the lock of a directory that a process has locked and left.
   *
   * @return null if a process holds the lock, or if there is no lock file
   */
  public static @Nullable DirectoryLock acquireAbandoned(Path directory) throws IOException {
    try {
      return acquire(directory, StandardOpenOption.WRITE);
    } catch (NoSuchFileException e) {
      return null;
    } catch (KvException e) {
      if (e.code() != KvErrorCode.LOCKED) {
        throw e;
      }
      return null;
    }
  }

  private static DirectoryLock acquire(Path directory, OpenOption create) throws IOException {
    Path real = directory.toRealPath();
    if (!HELD.add(real)) {
      throw locked(directory, ProcessHandle.current().pid() + " (this one)");
    }
    try {
      return new DirectoryLock(real, lock(directory, create));
    } catch (IOException | RuntimeException e) {
      HELD.remove(real);
      throw e;
    }
  }

  /** Returns true if a file is a lock file. */
  public static boolean isFile(Path file) {
    return file.endsWith(FILE);
  }

  /** Deletes the lock file of a held lock, which must not be acquired by its name again. */
  public static void deleteFile(Disk disk, Path directory) throws IOException {
    disk.delete(directory.resolve(FILE));
  }

  private static FileChannel lock(Path directory, OpenOption create) throws IOException {
    FileChannel channel =
        FileChannel.open(
            directory.resolve(FILE), create, StandardOpenOption.READ, StandardOpenOption.WRITE);
    try {
      if (channel.tryLock() == null) {
        throw locked(directory, holder(channel));
      }
      byte[] pid = Long.toString(ProcessHandle.current().pid()).getBytes(StandardCharsets.US_ASCII);
      channel.truncate(0);
      channel.write(ByteBuffer.wrap(pid), 0);
      return channel;
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  private static KvException locked(Path directory, String holder) {
    return new KvException(
        KvErrorCode.LOCKED,
        directory + " is open in process " + holder + " (expected: one process at a time)");
  }

  private static String holder(FileChannel channel) throws IOException {
    ByteBuffer pid = ByteBuffer.allocate(20);
    channel.read(pid, 0);
    return new String(pid.array(), 0, pid.position(), StandardCharsets.US_ASCII);
  }

  @Override
  public void close() throws IOException {
    try {
      channel.close();
    } finally {
      HELD.remove(directory);
    }
  }
}
