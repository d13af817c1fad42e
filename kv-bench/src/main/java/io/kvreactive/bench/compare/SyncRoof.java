package io.kvreactive.bench.compare;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;

/**
 * The roof of single durable sets: the rate at which one thread appends a small record to a file
 * and syncs it. As in the log of the store, the space of the file is written ahead with zeros.
 */
final class SyncRoof {
  private static final int FILE_BYTES = 16 << 20;
  private static final int RECORD_BYTES = 200; // a frame of the log with one set of 100 bytes

  private SyncRoof() {}

  /** Returns the number of syncs per second. Blocks for the warm-up and the measured time. */
  static double rate(Path directory, Duration warmUp, Duration measured) throws IOException {
    Files.createDirectories(directory);
    Path file = Files.createTempFile(directory, "roof", ".log");
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.allocate(FILE_BYTES), 0);
      channel.force(true);
      syncs(channel, warmUp);
      long start = System.nanoTime();
      return syncs(channel, measured) * 1e9 / (System.nanoTime() - start);
    } finally {
      Files.delete(file);
    }
  }

  private static long syncs(FileChannel channel, Duration time) throws IOException {
    ByteBuffer record = ByteBuffer.allocateDirect(RECORD_BYTES);
    long end = System.nanoTime() + time.toNanos();
    long syncs = 0;
    while (System.nanoTime() < end) {
      record.putLong(0, syncs).rewind();
      channel.write(record, syncs * RECORD_BYTES % (FILE_BYTES - RECORD_BYTES));
      channel.force(false);
      syncs++;
    }
    return syncs;
  }
}
