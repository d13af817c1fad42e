package io.kvreactive.documents.internal.functions;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.LocalDateTime;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A part of a point in time, with its long and short names. */
enum DatePart {
  YEAR(0, "year yyyy yy"),
  MONTH(0, "month mm m"),
  DAY(86_400 * DateTicks.PER_SECOND, "day dd d"),
  HOUR(3_600 * DateTicks.PER_SECOND, "hour hh"),
  MINUTE(60 * DateTicks.PER_SECOND, "minute mi n"),
  SECOND(DateTicks.PER_SECOND, "second ss s"),
  MILLISECOND(DateTicks.PER_MILLISECOND, "millisecond ms"),
  MICROSECOND(DateTicks.PER_MICROSECOND, "microsecond mcs"),
  /** The nanosecond; points in time have a resolution of 100 ns. */
  NANOSECOND(0, "nanosecond ns");

  private static final Map<String, DatePart> BY_NAME = byName();

  /** The length of the longest name. */
  private static final int MAX_NAME = "millisecond".length();

  private final long ticks;
  private final String names;

  DatePart(long ticks, String names) {
    this.ticks = ticks;
    this.names = names;
  }

  private static Map<String, DatePart> byName() {
    Map<String, DatePart> byName = new HashMap<>();
    for (DatePart part : values()) {
      for (String name : part.names.split(" ", -1)) {
        byName.put(name, part);
      }
    }
    return Map.copyOf(byName);
  }

  /** Returns the part of a name in any letter case, or null if the name is unknown. */
  static @Nullable DatePart of(JsonNode name) {
    // the JDK takes quadratic time to change the case of some long texts
    return name.isTextual() && name.textValue().length() <= MAX_NAME
        ? BY_NAME.get(name.textValue().toLowerCase(Locale.ROOT))
        : null;
  }

  /** Returns the length in ticks; 0 for parts of variable length, and for the nanosecond. */
  long ticks() {
    return ticks;
  }

  /**
   * Returns the value of the part at a time. Parts of a second count from the start of that second.
   */
  int at(LocalDateTime time) {
    return switch (this) {
      case YEAR -> time.getYear();
      case MONTH -> time.getMonthValue();
      case DAY -> time.getDayOfMonth();
      case HOUR -> time.getHour();
      case MINUTE -> time.getMinute();
      case SECOND -> time.getSecond();
      case MILLISECOND -> time.getNano() / 1_000_000;
      case MICROSECOND -> time.getNano() / 1_000;
      case NANOSECOND -> time.getNano();
    };
  }

  /** Returns the number of months since the year 0. */
  static long months(LocalDateTime time) {
    return time.getYear() * 12L + time.getMonthValue() - 1;
  }
}
