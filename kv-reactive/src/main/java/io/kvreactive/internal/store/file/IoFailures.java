package io.kvreactive.internal.store.file;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** Classifies I/O failures: full disk, no free descriptors, other. */
public final class IoFailures {
  /**
   * Free bytes below which the file system counts as full, even if the message of a failure does
   * not say so.
   */
  private static final long MIN_FREE_BYTES = 64 * 1024;

  private IoFailures() {}

  /**
   * Returns DISK_FULL if the directory's file system has no space, OVERLOADED if there are no file
   * descriptors or no space for mappings, else IO_FAILED.
   */
  public static KvException of(IOException failure, Path directory, String doing) {
    if (noResources(failure)) {
      return new KvException(
          KvErrorCode.OVERLOADED, doing + " in " + directory + " failed: " + failure, failure);
    }
    return isDiskFull(failure, directory)
        ? new KvException(
            KvErrorCode.DISK_FULL, "no space in " + directory + " while " + doing, failure)
        : new KvException(
            KvErrorCode.IO_FAILED, doing + " in " + directory + " failed: " + failure, failure);
  }

  private static boolean noResources(IOException failure) {
    String message = String.valueOf(failure.getMessage()).toLowerCase(Locale.ROOT);
    return message.contains("too many open files") || message.contains("map failed");
  }

  private static boolean isDiskFull(IOException failure, Path directory) {
    String message = String.valueOf(failure.getMessage()).toLowerCase(Locale.ROOT);
    if (message.contains("no space left") || message.contains("quota exceeded")) {
      return true;
    }
    try {
      return Files.getFileStore(directory).getUsableSpace() < MIN_FREE_BYTES;
    } catch (IOException e) {
      failure.addSuppressed(e);
      return false;
    }
  }
}
