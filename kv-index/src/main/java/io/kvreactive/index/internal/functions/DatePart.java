package io.kvreactive.index.internal.functions;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.LocalDateTime;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A part of a point in time, by its long or short names. */
enum DatePart {
  YEAR(0, "year yyyy yy"),
  MONTH(0, "month mm m"),
  DAY(86_400 * DateTicks.PER_SECOND, "day dd d"),
  HOUR(3_600 * DateTicks.PER_SECOND, "hour hh"),
  MINUTE(60 * DateTicks.PER_SECOND, "minute mi n"),
  SECOND(DateTicks.PER_SECOND, "second ss s"),
  MILLISECOND(DateTicks.PER_MILLISECOND, "millisecond ms"),
  MICROSECOND(DateTicks.PER_MICROSECOND, "microsecond mcs"),
  /** Points in time only have every 100th. */
  NANOSECOND(0, "nanosecond ns");

  private static final Map<String, DatePart> BY_NAME = byName();

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

  /** In any letter case; null when there is none of that name. */
  static @Nullable DatePart of(JsonNode name) {
    return name.isTextual() ? BY_NAME.get(name.textValue().toLowerCase(Locale.ROOT)) : null;
  }

  /** How long it is; 0 for those whose length varies, and for the nanosecond. */
  long ticks() {
    return ticks;
  }

  /** Its value at a time; those of a second count from that second on. */
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

  /** Months from the year 0 on. */
  static long months(LocalDateTime time) {
    return time.getYear() * 12L + time.getMonthValue() - 1;
  }
}
