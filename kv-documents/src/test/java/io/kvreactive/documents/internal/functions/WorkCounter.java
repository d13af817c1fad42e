package io.kvreactive.documents.internal.functions;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/**
 * Counts the work of instrumented code: the jumps and calls that it executes, the characters that
 * it compares or scans by methods of the JDK, and the memory that it allocates, in units of 8
 * bytes. The count does not depend on the speed of the machine. For one thread.
 */
public final class WorkCounter {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private static long ticks;
  private static long allocated;

  private WorkCounter() {}

  public static void start() {
    ticks = 0;
    allocated = THREADS.getCurrentThreadAllocatedBytes();
  }

  /** Returns the work since {@link #start}. */
  public static long work() {
    return ticks + (THREADS.getCurrentThreadAllocatedBytes() - allocated) / 8;
  }

  // called by instrumented code

  public static void tick() {
    ticks++;
  }

  public static int indexOf(String text, String part) {
    return indexOf(text, part, 0);
  }

  /** Searches as the JDK does in the worst case, and counts each comparison. */
  public static int indexOf(String text, String part, int from) {
    for (int at = Math.max(0, from); at <= text.length() - part.length(); at++) {
      int same = 0;
      while (same < part.length() && text.charAt(at + same) == part.charAt(same)) {
        same++;
      }
      ticks += same + 1;
      if (same == part.length()) {
        return at;
      }
    }
    return text.indexOf(part, from);
  }

  public static int lastIndexOf(String text, String part) {
    int found = text.lastIndexOf(part);
    ticks += (long) (text.length() - Math.max(0, found)) * Math.max(1, part.length());
    return found;
  }

  public static int indexOf(String text, int c) {
    return indexOf(text, c, 0);
  }

  public static int indexOf(String text, int c, int from) {
    int found = text.indexOf(c, from);
    ticks += Math.max(0, (found < 0 ? text.length() : found) - from);
    return found;
  }

  public static boolean startsWith(String text, String part) {
    ticks += Math.min(text.length(), part.length());
    return text.startsWith(part);
  }

  public static boolean startsWith(String text, String part, int at) {
    ticks += Math.min(text.length(), part.length());
    return text.startsWith(part, at);
  }

  public static boolean endsWith(String text, String part) {
    ticks += Math.min(text.length(), part.length());
    return text.endsWith(part);
  }

  public static int compareTo(String text, String other) {
    ticks += Math.min(text.length(), other.length());
    return text.compareTo(other);
  }

  public static boolean equals(String text, Object other) {
    ticks += other instanceof String same && same.length() == text.length() ? text.length() : 1;
    return text.equals(other);
  }
}
