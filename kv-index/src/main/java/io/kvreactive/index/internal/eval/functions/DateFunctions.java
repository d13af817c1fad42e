package io.kvreactive.index.internal.eval.functions;

import static io.kvreactive.index.internal.value.Values.UNDEFINED;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.index.internal.value.Values;
import io.kvreactive.index.spi.ScalarFunction;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongFunction;

/** Points in time as text, ticks of 100 ns and milliseconds, all in UTC. */
final class DateFunctions {
  private static final int PARTS = 7;

  private DateFunctions() {}

  static List<ScalarFunction> all() {
    return List.of(
        current("GETCURRENTDATETIME", time -> Ticks.text(Ticks.of(time))),
        currentStatic("GETCURRENTDATETIMESTATIC", time -> Ticks.text(Ticks.of(time))),
        current("GETCURRENTTICKS", time -> Values.number(Ticks.of(time))),
        currentStatic("GETCURRENTTICKSSTATIC", time -> Values.number(Ticks.of(time))),
        current("GETCURRENTTIMESTAMP", time -> Values.number(time.toEpochMilli())),
        currentStatic("GETCURRENTTIMESTAMPSTATIC", time -> Values.number(time.toEpochMilli())),
        Fn.of("DATETIMEFROMPARTS", 3, PARTS, DateFunctions::fromParts),
        Fn.of("DATETIMEPART", 2, 2, DateFunctions::part),
        Fn.of("DATETIMEFORMAT", 2, 2, DateFunctions::format),
        ofTime("DATETIMETOTICKS", Values::number),
        ofTime(
            "DATETIMETOTIMESTAMP",
            ticks -> Values.number(Math.floorDiv(ticks, Ticks.PER_MILLISECOND))),
        toTime("TICKSTODATETIME", 1),
        toTime("TIMESTAMPTODATETIME", Ticks.PER_MILLISECOND));
  }

  private static ScalarFunction current(String name, Function<Instant, JsonNode> form) {
    return Fn.varying(name, 0, (arguments, context) -> form.apply(context.now()));
  }

  private static ScalarFunction currentStatic(String name, Function<Instant, JsonNode> form) {
    return Fn.perQuery(name, context -> form.apply(context.queryTime()));
  }

  private static ScalarFunction ofTime(String name, LongFunction<JsonNode> body) {
    return Fn.of(
        name,
        1,
        1,
        a -> {
          Long ticks = Ticks.parse(a[0]);
          return ticks == null ? UNDEFINED : body.apply(ticks);
        });
  }

  /** Of whole numbers. */
  private static ScalarFunction toTime(String name, long unit) {
    return Fn.of(
        name,
        1,
        1,
        a -> {
          Long count = Integers.exact(a[0]);
          if (count == null || Math.abs(count.doubleValue()) > Ticks.MAX) {
            return UNDEFINED;
          }
          try {
            return Ticks.text(Math.multiplyExact(count, unit));
          } catch (ArithmeticException e) {
            return UNDEFINED;
          }
        });
  }

  private static JsonNode fromParts(JsonNode[] a) {
    int[] parts = {0, 0, 0, 0, 0, 0, 0};
    for (int i = 0; i < a.length; i++) {
      Long part = Integers.exact(a[i]);
      if (part == null || part < 0 || part >= Ticks.PER_SECOND) {
        return UNDEFINED;
      }
      parts[i] = part.intValue();
    }
    try {
      return Ticks.text(
          Ticks.of(
              LocalDateTime.of(
                  parts[0],
                  parts[1],
                  parts[2],
                  parts[3],
                  parts[4],
                  parts[5],
                  parts[6] * Ticks.NANOS)));
    } catch (DateTimeException e) {
      return UNDEFINED;
    }
  }

  private static JsonNode part(JsonNode[] a) {
    Long ticks = Ticks.parse(a[0]);
    DatePart part = DatePart.of(a[1]);
    return ticks == null || part == null ? UNDEFINED : Values.number(part.at(Ticks.time(ticks)));
  }

  private static JsonNode format(JsonNode[] a) {
    Long ticks = Ticks.parse(a[0]);
    if (ticks == null || !a[1].isTextual()) {
      return UNDEFINED;
    }
    String text = DateFormat.format(Ticks.time(ticks), a[1].textValue());
    return text == null ? UNDEFINED : Texts.bounded(text);
  }
}
