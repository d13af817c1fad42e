package io.kvreactive.documents.internal.functions;

import java.time.LocalDateTime;
import java.time.format.TextStyle;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Formats of DATETIMEFORMAT, in English: {@code y yy yyyy}, {@code M MM MMM MMMM} (3 and 4: names),
 * {@code d dd ddd dddd} (3 and 4: names of the weekday), {@code H HH} (0–23), {@code h hh} (1–12),
 * {@code m mm}, {@code s ss}, {@code f} to {@code fffffff}, {@code t tt} (A, AM). Text between
 * single or double quotes and the character after a backslash stand for themselves, as does all
 * that is no letter; another letter is not valid.
 */
final class DateFormat {
  private final LocalDateTime time;
  private final String format;
  private final StringBuilder text = new StringBuilder();
  private int at;

  private DateFormat(LocalDateTime time, String format) {
    this.time = time;
    this.format = format;
  }

  /** Formats a time. Returns null if the format is not valid. */
  static @Nullable String format(LocalDateTime time, String format) {
    DateFormat formatting = new DateFormat(time, format);
    while (formatting.at < format.length()) {
      if (!formatting.next()) {
        return null;
      }
      FunctionLimitException.checkResult("DATETIMEFORMAT", formatting.text.length());
    }
    return formatting.text.toString();
  }

  private boolean next() {
    char c = format.charAt(at);
    if (c == '\'' || c == '"') {
      int end = format.indexOf(c, at + 1);
      text.append(format, at + 1, Math.max(at + 1, end));
      at = end + 1;
      return end > 0;
    }
    if (c == '\\') {
      at += 2;
      if (at <= format.length()) {
        text.append(format.charAt(at - 1));
      }
      return at <= format.length();
    }
    int start = at;
    while (at < format.length() && format.charAt(at) == c) {
      at++;
    }
    if (!Character.isLetter(c)) {
      text.append(format, start, at);
      return true;
    }
    return field(c, at - start);
  }

  private boolean field(char c, int count) {
    return switch (c) {
      case 'y' -> year(count);
      case 'M' ->
          count <= 2
              ? number(time.getMonthValue(), count)
              : name(time.getMonth().getDisplayName(style(count), Locale.ENGLISH), count);
      case 'd' ->
          count <= 2
              ? number(time.getDayOfMonth(), count)
              : name(time.getDayOfWeek().getDisplayName(style(count), Locale.ENGLISH), count);
      case 'H' -> number(time.getHour(), count);
      case 'h' -> number((time.getHour() + 11) % 12 + 1, count);
      case 'm' -> number(time.getMinute(), count);
      case 's' -> number(time.getSecond(), count);
      case 'f' -> fraction(count);
      case 't' ->
          name((time.getHour() < 12 ? "AM" : "PM").substring(0, count == 1 ? 1 : 2), count + 2);
      default -> false;
    };
  }

  private static TextStyle style(int count) {
    return count == 3 ? TextStyle.SHORT : TextStyle.FULL;
  }

  private boolean year(int count) {
    return switch (count) {
      case 1, 2 -> number(time.getYear() % 100, count);
      case 4 -> {
        DateTicks.digits(text, time.getYear(), count);
        yield true;
      }
      default -> false;
    };
  }

  private boolean number(int number, int width) {
    DateTicks.digits(text, number, Math.min(width, 2));
    return width <= 2;
  }

  private boolean name(String name, int count) {
    text.append(name);
    return count <= 4;
  }

  private boolean fraction(int count) {
    StringBuilder digits =
        DateTicks.digits(new StringBuilder(), DatePart.NANOSECOND.at(time) / DateTicks.NANOS, 7);
    text.append(digits, 0, Math.min(count, digits.length()));
    return count <= digits.length();
  }
}
