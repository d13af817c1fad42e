package io.kvreactive.documents.internal.functions;

import static io.kvreactive.documents.internal.value.Values.UNDEFINED;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.internal.value.Values;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;

/**
 * Points in time as counts of 100 ns since 1970, and as texts: {@code
 * yyyy-MM-ddTHH:mm:ss.fffffffZ}. Parsing also accepts fewer digits of the fraction or none, and a
 * missing Z. Years 1 to 9999.
 */
final class DateTicks {
  static final long PER_MICROSECOND = 10;
  static final long PER_MILLISECOND = 10_000;
  static final long PER_SECOND = 10_000_000;
  static final int NANOS = 100;

  static final long MIN = of(LocalDateTime.of(1, 1, 1, 0, 0));
  static final long MAX = of(LocalDateTime.of(9999, 12, 31, 23, 59, 59, 999_999_900));

  private static final String SHAPE = "dddd-dd-ddTdd:dd:dd";
  private static final int MAX_FRACTION = 7;

  private DateTicks() {}

  static long of(LocalDateTime time) {
    return of(time.toInstant(ZoneOffset.UTC));
  }

  static long of(Instant time) {
    return time.getEpochSecond() * PER_SECOND + time.getNano() / NANOS;
  }

  static LocalDateTime time(long ticks) {
    return LocalDateTime.ofEpochSecond(
        Math.floorDiv(ticks, PER_SECOND),
        (int) Math.floorMod(ticks, PER_SECOND) * NANOS,
        ZoneOffset.UTC);
  }

  /** Formats a point in time; undefined if it is out of range. */
  static JsonNode text(long ticks) {
    if (ticks < MIN || ticks > MAX) {
      return UNDEFINED;
    }
    LocalDateTime time = time(ticks);
    StringBuilder text = new StringBuilder(SHAPE.length() + 1 + MAX_FRACTION + 1);
    digits(text, time.getYear(), 4).append('-');
    digits(text, time.getMonthValue(), 2).append('-');
    digits(text, time.getDayOfMonth(), 2).append('T');
    digits(text, time.getHour(), 2).append(':');
    digits(text, time.getMinute(), 2).append(':');
    digits(text, time.getSecond(), 2).append('.');
    return Values.text(digits(text, time.getNano() / NANOS, MAX_FRACTION).append('Z').toString());
  }

  static StringBuilder digits(StringBuilder to, int number, int width) {
    String digits = Integer.toString(number);
    return to.append("0".repeat(Math.max(0, width - digits.length()))).append(digits);
  }

  /** Parses a text, or returns null if the value is not a text of that form. */
  static @Nullable Long parse(JsonNode value) {
    if (!value.isTextual()) {
      return null;
    }
    String text = value.textValue();
    int end = text.endsWith("Z") ? text.length() - 1 : text.length();
    if (end < SHAPE.length() || !hasShape(text)) {
      return null;
    }
    int nanos = fraction(text, end);
    if (nanos < 0) {
      return null;
    }
    try {
      return checked(
          LocalDateTime.of(
              number(text, 0, 4),
              number(text, 5, 7),
              number(text, 8, 10),
              number(text, 11, 13),
              number(text, 14, 16),
              number(text, 17, 19),
              nanos));
    } catch (DateTimeException e) {
      return null;
    }
  }

  private static @Nullable Long checked(LocalDateTime time) {
    return time.getYear() < 1 ? null : (Long) of(time);
  }

  private static boolean hasShape(String text) {
    for (int i = 0; i < SHAPE.length(); i++) {
      char wanted = SHAPE.charAt(i);
      char c = text.charAt(i);
      if (wanted == 'd' ? !isDigit(c) : c != wanted) {
        return false;
      }
    }
    return true;
  }

  /** Returns the nanoseconds of a fraction, or −1 if it is malformed. */
  private static int fraction(String text, int end) {
    int from = SHAPE.length();
    if (from == end) {
      return 0;
    }
    int digits = end - from - 1;
    if (text.charAt(from) != '.' || digits < 1 || digits > MAX_FRACTION) {
      return -1;
    }
    int nanos = 0;
    for (int i = 0; i < 9; i++) {
      char c = i < digits ? text.charAt(from + 1 + i) : '0';
      if (!isDigit(c)) {
        return -1;
      }
      nanos = nanos * 10 + c - '0';
    }
    return nanos;
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private static int number(String text, int from, int to) {
    return Integer.parseInt(text, from, to, 10);
  }
}
