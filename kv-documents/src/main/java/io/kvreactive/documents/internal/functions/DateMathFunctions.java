package io.kvreactive.documents.internal.functions;

import static io.kvreactive.documents.internal.value.Values.UNDEFINED;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.internal.value.Values;
import io.kvreactive.documents.spi.ScalarFunction;
import java.math.BigInteger;
import java.time.LocalDateTime;
import java.util.List;

/**
 * Functions for adding to points in time, and for distances and bins of times. The result is
 * undefined outside of the years 1 to 9999.
 */
final class DateMathFunctions {
  /** Upper bound of the distance in months between any two points in time. */
  private static final long MAX_MONTHS = 12L * 20_000;

  private DateMathFunctions() {}

  static List<ScalarFunction> all() {
    return List.of(
        LambdaFunction.of("DATETIMEADD", 3, 3, a -> guarded(() -> add(a))),
        LambdaFunction.of("DATETIMEDIFF", 3, 3, a -> guarded(() -> diff(a))),
        LambdaFunction.of("DATETIMEBIN", 2, 4, a -> guarded(() -> bin(a))));
  }

  private interface Step {
    /** Computes the result. May throw ArithmeticException. */
    JsonNode run();
  }

  /** Runs a computation; undefined if the result overflows. */
  private static JsonNode guarded(Step step) {
    try {
      return step.run();
    } catch (ArithmeticException e) {
      return UNDEFINED;
    }
  }

  /**
   * Adds to a point in time. The day is limited to the last day of a shorter month; nanoseconds
   * below 100 are dropped.
   */
  private static JsonNode add(JsonNode[] a) {
    DatePart part = DatePart.of(a[0]);
    Long count = IntegerValues.exact(a[1]);
    Long start = DateTicks.parse(a[2]);
    if (part == null || count == null || start == null) {
      return UNDEFINED;
    }
    return switch (part) {
      case YEAR -> plusMonths(start, Math.multiplyExact(count, 12L));
      case MONTH -> plusMonths(start, count);
      case NANOSECOND -> DateTicks.text(Math.addExact(start, count / DateTicks.NANOS));
      default -> DateTicks.text(Math.addExact(start, Math.multiplyExact(count, part.ticks())));
    };
  }

  private static JsonNode plusMonths(long start, long months) {
    return months < -MAX_MONTHS || months > MAX_MONTHS
        ? UNDEFINED
        : DateTicks.text(DateTicks.of(DateTicks.time(start).plusMonths(months)));
  }

  /**
   * Returns the number of boundaries of the date part between two times; negative if the second is
   * earlier.
   */
  private static JsonNode diff(JsonNode[] a) {
    DatePart part = DatePart.of(a[0]);
    Long from = DateTicks.parse(a[1]);
    Long to = DateTicks.parse(a[2]);
    if (part == null || from == null || to == null) {
      return UNDEFINED;
    }
    return Values.number(
        switch (part) {
          case YEAR -> DateTicks.time(to).getYear() - (long) DateTicks.time(from).getYear();
          case MONTH -> DatePart.months(DateTicks.time(to)) - DatePart.months(DateTicks.time(from));
          case NANOSECOND -> Math.multiplyExact(to - from, (long) DateTicks.NANOS);
          default -> Math.floorDiv(to, part.ticks()) - Math.floorDiv(from, part.ticks());
        });
  }

  private static JsonNode bin(JsonNode[] a) {
    Long time = DateTicks.parse(a[0]);
    DatePart part = DatePart.of(a[1]);
    Long size = a.length > 2 ? IntegerValues.exact(a[2]) : Long.valueOf(1);
    Long origin = a.length > 3 ? DateTicks.parse(a[3]) : Long.valueOf(0);
    if (time == null || part == null || size == null || origin == null || size < 1) {
      return UNDEFINED;
    }
    return switch (part) {
      case YEAR -> binOfMonths(time, Math.multiplyExact(size, 12L), origin);
      case MONTH -> binOfMonths(time, size, origin);
      case NANOSECOND -> binOfNanos(time, size, origin);
      default -> {
        long length = Math.multiplyExact(size, part.ticks());
        yield DateTicks.text(
            Math.addExact(
                origin, Math.multiplyExact(Math.floorDiv(time - origin, length), length)));
      }
    };
  }

  private static JsonNode binOfMonths(long time, long size, long origin) {
    LocalDateTime start = DateTicks.time(origin);
    long between = DatePart.months(DateTicks.time(time)) - DatePart.months(start);
    long bin = Math.multiplyExact(Math.floorDiv(between, size), size);
    // the bin may start later in its month
    if (bin >= -MAX_MONTHS && bin <= MAX_MONTHS && DateTicks.of(start.plusMonths(bin)) > time) {
      bin = Math.subtractExact(bin, size);
    }
    return plusMonths(origin, bin);
  }

  /** Returns the bin for a size in nanoseconds, whose count may exceed a long. */
  private static JsonNode binOfNanos(long time, long size, long origin) {
    BigInteger ticks = BigInteger.valueOf(DateTicks.NANOS);
    BigInteger nanos = BigInteger.valueOf(time - origin).multiply(ticks);
    BigInteger start = nanos.subtract(nanos.mod(BigInteger.valueOf(size)));
    BigInteger whole = start.subtract(start.mod(ticks)).divide(ticks);
    return DateTicks.text(Math.addExact(origin, whole.longValueExact()));
  }
}
