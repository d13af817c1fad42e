package io.kvreactive.web.internal.trace;

import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A {@code traceparent} of W3C Trace Context.
 *
 * @param traceId the trace id: 32 hex digits, not all zero
 * @param flags the flags: 2 hex digits
 */
record TraceParent(String traceId, String flags) implements Trace {
  private static final Pattern HEADER =
      Pattern.compile("([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?");
  private static final int MAX_LENGTH = 256;

  /** Parses a header; returns null if the header is missing or invalid. */
  static @Nullable TraceParent of(@Nullable String header) {
    if (header == null || header.length() > MAX_LENGTH) {
      return null;
    }
    Matcher parts = HEADER.matcher(header.strip());
    if (!parts.matches()
        || parts.group(1).equals("ff")
        || (parts.group(1).equals("00") && parts.group(5) != null)
        || isZero(parts.group(2))
        || isZero(parts.group(3))) {
      return null;
    }
    return new TraceParent(parts.group(2), parts.group(4));
  }

  private static boolean isZero(String hex) {
    return hex.chars().allMatch(digit -> digit == '0');
  }

  /** Returns the trace id with a random span id, which is not recorded. */
  @Override
  public String header() {
    long id = ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE);
    return "00-%s-%016x-%s".formatted(traceId, id, flags);
  }
}
