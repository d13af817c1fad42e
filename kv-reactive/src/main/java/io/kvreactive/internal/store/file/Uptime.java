package io.kvreactive.internal.store.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The time since the machine was started, from the kernel's {@code /proc/uptime}. */
public final class Uptime {
  private static final Path FILE = Path.of("/proc/uptime");

  private Uptime() {}

  /**
   * Returns the milliseconds for which the machine was suspended, counted from an arbitrary origin;
   * {@link Long#MIN_VALUE} if unknown. Time since boot includes suspensions; {@link
   * System#nanoTime} does not, on Linux.
   */
  public static long suspendedMillis() {
    try {
      String uptime = Files.readString(FILE);
      double seconds = Double.parseDouble(uptime.substring(0, uptime.indexOf(' ')));
      return (long) (seconds * 1000) - System.nanoTime() / 1_000_000;
    } catch (IOException | RuntimeException e) { // another operating system, or no free descriptors
      return Long.MIN_VALUE;
    }
  }
}
