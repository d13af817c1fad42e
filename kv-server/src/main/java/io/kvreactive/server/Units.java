package io.kvreactive.server;

import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converters of durations and sizes on the command line. */
public final class Units {
  private static final Pattern NUMBER = Pattern.compile("(\\d{1,15})\\s*([A-Za-z]*)");
  private static final Map<String, Long> MILLIS =
      Map.of("ms", 1L, "s", 1_000L, "m", 60_000L, "h", 3_600_000L, "d", 86_400_000L);

  /** Maximum duration: a hundred years. Longer durations overflow when counted in nanoseconds. */
  private static final long MAX_MILLIS = Duration.ofDays(36_500).toMillis();

  private static final Map<String, Integer> SHIFTS =
      Map.of("", 0, "b", 0, "k", 10, "kib", 10, "m", 20, "mib", 20, "g", 30, "gib", 30);

  private Units() {}

  /** Converts durations: {@code 500ms}, {@code 10s}, {@code 5m}, {@code 1h}, {@code 7d}. */
  public static final class Time implements ITypeConverter<Duration> {
    @Override
    public Duration convert(String text) {
      Matcher parts = NUMBER.matcher(text.strip());
      Long unit = parts.matches() ? MILLIS.get(parts.group(2).toLowerCase(Locale.ROOT)) : null;
      if (unit == null) {
        throw new TypeConversionException("'" + text + "' is not a time such as 500ms, 10s or 5m");
      }
      long number = Long.parseLong(parts.group(1));
      if (number > MAX_MILLIS / unit) {
        throw new TypeConversionException(
            "'" + text + "' is too long a time (expected: at most 36500d)");
      }
      return Duration.ofMillis(number * unit);
    }
  }

  /**
   * Converts sizes to bytes: {@code 4096}, {@code 64k}, {@code 16MiB}, {@code 1g}. Units are powers
   * of 1,024.
   */
  public static final class Size implements ITypeConverter<Long> {
    @Override
    public Long convert(String text) {
      Matcher parts = NUMBER.matcher(text.strip());
      Integer shift = parts.matches() ? SHIFTS.get(parts.group(2).toLowerCase(Locale.ROOT)) : null;
      if (shift == null) {
        throw new TypeConversionException("'" + text + "' is not a size such as 4096, 64k or 1g");
      }
      long number = Long.parseLong(parts.group(1));
      if (number > Long.MAX_VALUE >> shift) {
        throw new TypeConversionException("'" + text + "' is too large a size");
      }
      return number << shift;
    }
  }

  /** Returns the text of a size in the format that {@link Size} parses. */
  public static String text(long bytes) {
    int unit = Math.min(30, Long.numberOfTrailingZeros(bytes) / 10 * 10);
    String name = unit == 30 ? "g" : unit == 20 ? "m" : unit == 10 ? "k" : "";
    return bytes == 0 ? "0" : (bytes >> unit) + name;
  }

  /** Returns the text of a duration in the format that {@link Time} parses. */
  public static String text(Duration time) {
    long millis = time.toMillis();
    for (String unit : new String[] {"d", "h", "m", "s"}) {
      long size = MILLIS.getOrDefault(unit, 1L);
      if (millis >= size && millis % size == 0) {
        return millis / size + unit;
      }
    }
    return millis + "ms";
  }
}
