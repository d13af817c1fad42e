package io.kvreactive.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Standard streams that are terminals, and text that a terminal may print. */
public final class Terminals {
  /** The descriptor of standard output. */
  public static final int OUT = 1;

  /** The descriptor of standard error. */
  public static final int ERR = 2;

  private static final String PROPERTY = "kv.terminals"; // set by ./kv, such as "12"

  private Terminals() {}

  /**
   * Returns true if a standard stream is a terminal: as the property {@code kv.terminals} says, or
   * else by the descriptors of Linux. False if neither is available.
   */
  public static boolean isTerminal(int descriptor) {
    String known = System.getProperty(PROPERTY);
    if (known != null) {
      return known.contains(Integer.toString(descriptor));
    }
    try {
      String device = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor)).toString();
      return device.matches("/dev/(pts/|tty|console).*");
    } catch (IOException | UnsupportedOperationException e) {
      return false;
    }
  }

  /**
   * Returns text without the characters that a terminal interprets: control characters other than
   * line ends and tabs, and those that change the direction of text. Each is replaced by its JSON
   * escape, so that JSON keeps its meaning.
   */
  public static String clean(String text) {
    StringBuilder cleaned = null;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (isInterpreted(c)) {
        cleaned = cleaned == null ? new StringBuilder(text.substring(0, i)) : cleaned;
        cleaned.append("\\u%04x".formatted((int) c));
      } else if (cleaned != null) {
        cleaned.append(c);
      }
    }
    return cleaned == null ? text : cleaned.toString();
  }

  private static boolean isInterpreted(char c) {
    return (c < ' ' && c != '\n' && c != '\t')
        || (c >= 0x7F && c <= 0x9F) // DEL, C1
        || c == 0x061C // marks of direction
        || c == 0x200E
        || c == 0x200F
        || (c >= 0x202A && c <= 0x202E) // embeddings and overrides
        || (c >= 0x2066 && c <= 0x2069); // isolates
  }
}
