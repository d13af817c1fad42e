package io.kvreactive.documents.internal.functions;

import static io.kvreactive.documents.internal.value.Values.UNDEFINED;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.internal.value.Values;
import io.kvreactive.documents.spi.ScalarFunction;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongFunction;

/** Functions on points in time as texts, as ticks of 100 ns and as milliseconds, all in UTC. */
final class DateFunctions {
  private static final int PARTS = 7;

  private DateFunctions() {}

  static List<ScalarFunction> all() {
    return List.of(
        current("GETCURRENTDATETIME", time -> DateTicks.text(DateTicks.of(time))),
        currentStatic("GETCURRENTDATETIMESTATIC", time -> DateTicks.text(DateTicks.of(time))),
        current("GETCURRENTTICKS", time -> Values.number(DateTicks.of(time))),
        currentStatic("GETCURRENTTICKSSTATIC", time -> Values.number(DateTicks.of(time))),
        current("GETCURRENTTIMESTAMP", time -> Values.number(time.toEpochMilli())),
        currentStatic("GETCURRENTTIMESTAMPSTATIC", time -> Values.number(time.toEpochMilli())),
        LambdaFunction.of("DATETIMEFROMPARTS", 3, PARTS, DateFunctions::fromParts),
        LambdaFunction.of("DATETIMEPART", 2, 2, DateFunctions::part),
        LambdaFunction.of("DATETIMEFORMAT", 2, 2, DateFunctions::format),
        ofTime("DATETIMETOTICKS", Values::number),
        ofTime(
            "DATETIMETOTIMESTAMP",
            ticks -> Values.number(Math.floorDiv(ticks, DateTicks.PER_MILLISECOND))),
        toTime("TICKSTODATETIME", 1),
        toTime("TIMESTAMPTODATETIME", DateTicks.PER_MILLISECOND));
  }

  private static ScalarFunction current(String name, Function<Instant, JsonNode> form) {
    return LambdaFunction.varying(name, 0, (arguments, context) -> form.apply(context.now()));
  }

  private static ScalarFunction currentStatic(String name, Function<Instant, JsonNode> form) {
    return LambdaFunction.perQuery(name, context -> form.apply(context.queryTime()));
  }

  private static ScalarFunction ofTime(String name, LongFunction<JsonNode> body) {
    return LambdaFunction.of(
        name,
        1,
        1,
        a -> {
          Long ticks = DateTicks.parse(a[0]);
          return ticks == null ? UNDEFINED : body.apply(ticks);
        });
  }

  /** Returns a function that converts whole numbers of a unit to a time. */
  private static ScalarFunction toTime(String name, long unit) {
    return LambdaFunction.of(
        name,
        1,
        1,
        a -> {
          Long count = IntegerValues.exact(a[0]);
          if (count == null || Math.abs(count.doubleValue()) > DateTicks.MAX) {
            return UNDEFINED;
          }
          try {
            return DateTicks.text(Math.multiplyExact(count, unit));
          } catch (ArithmeticException e) {
            return UNDEFINED;
          }
        });
  }

  private static JsonNode fromParts(JsonNode[] a) {
    int[] parts = {0, 0, 0, 0, 0, 0, 0};
    for (int i = 0; i < a.length; i++) {
      Long part = IntegerValues.exact(a[i]);
      if (part == null || part < 0 || part >= DateTicks.PER_SECOND) {
        return UNDEFINED;
      }
      parts[i] = part.intValue();
    }
    try {
      return DateTicks.text(
          DateTicks.of(
              LocalDateTime.of(
                  parts[0],
                  parts[1],
                  parts[2],
                  parts[3],
                  parts[4],
                  parts[5],
                  parts[6] * DateTicks.NANOS)));
    } catch (DateTimeException e) {
      return UNDEFINED;
    }
  }

  /** Returns a part of a time. The original documents both orders of the arguments. */
  private static JsonNode part(JsonNode[] a) {
    boolean partFirst = DatePart.of(a[0]) != null;
    Long ticks = DateTicks.parse(a[partFirst ? 1 : 0]);
    DatePart part = DatePart.of(a[partFirst ? 0 : 1]);
    return ticks == null || part == null
        ? UNDEFINED
        : Values.number(part.at(DateTicks.time(ticks)));
  }

  private static JsonNode format(JsonNode[] a) {
    Long ticks = DateTicks.parse(a[0]);
    if (ticks == null || !a[1].isTextual()) {
      return UNDEFINED;
    }
    String text = DateFormat.format(DateTicks.time(ticks), a[1].textValue());
    return text == null ? UNDEFINED : Values.text(text);
  }
}
