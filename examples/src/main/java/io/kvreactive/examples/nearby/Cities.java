package io.kvreactive.examples.nearby;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Reads the principal places of the time zones from {@code zone1970.tab} of the time zone database.
 * Each line has countries, a place as ISO 6709 ({@code +DDMM+DDDMM} or with seconds) and a zone.
 */
final class Cities {
  private static final Path TABLE = Path.of("/usr/share/zoneinfo/zone1970.tab");
  private static final Pattern LINE =
      Pattern.compile("\\S+\\t([+-]\\d{4}|[+-]\\d{6})([+-]\\d{5}|[+-]\\d{7})\\t([^\\t]+).*");
  private static final double MINUTES = 60;
  private static final double SECONDS = 3600;

  private Cities() {}

  /** Returns the places of this machine's table, or four places if the table does not exist. */
  static List<Place> all() {
    try (Stream<String> lines = Files.lines(TABLE)) {
      return lines.map(LINE::matcher).filter(Matcher::matches).map(Cities::of).toList();
    } catch (IOException none) {
      return List.of(
          Place.of("Europe-Andorra", "city", 1.5167, 42.5),
          Place.of("Europe-Berlin", "city", 13.3667, 52.5),
          Place.of("Europe-Prague", "city", 14.4333, 50.0833),
          Place.of("Pacific-Auckland", "city", 174.7667, -36.8667));
    }
  }

  private static Place of(Matcher line) {
    String id = line.group(3).replace('/', '-'); // an id cannot contain slashes
    return Place.of(id, "city", degrees(line.group(2), 3), degrees(line.group(1), 2));
  }

  /**
   * Returns an angle in degrees.
   *
   * @param text the sign, degrees, minutes and optional seconds
   * @param digits the number of digits of the degrees
   */
  private static double degrees(String text, int digits) {
    int minutesAt = 1 + digits;
    int secondsAt = minutesAt + 2;
    double degrees =
        Integer.parseInt(text.substring(1, minutesAt))
            + Integer.parseInt(text.substring(minutesAt, secondsAt)) / MINUTES
            + (text.length() > secondsAt
                ? Integer.parseInt(text.substring(secondsAt)) / SECONDS
                : 0);
    return text.charAt(0) == '-' ? -degrees : degrees;
  }
}
