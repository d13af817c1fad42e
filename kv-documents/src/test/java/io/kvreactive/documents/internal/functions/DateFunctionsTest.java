package io.kvreactive.documents.internal.functions;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.internal.value.Values;
import io.kvreactive.documents.spi.EvaluationContext;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class DateFunctionsTest {
  private static final EvaluationContext CONTEXT = Table.context(false);

  @Test
  void convertsTextsAndTicks() {
    Table.check(
        """
        DATETIMETOTICKS("2015-05-19T12:00:00.0000000Z") -> 14320368000000000
        DATETIMETOTICKS("2015-05-19T12:00:00.0000000") -> 14320368000000000
        DATETIMETOTICKS("2015-05-19T12:00:00Z") -> 14320368000000000
        DATETIMETOTICKS("1970-01-01T00:00:00.5") -> 5000000
        DATETIMETOTICKS("1601-01-01T00:00:00Z") -> -116444736000000000
        DATETIMETOTICKS("2015-02-29T12:00:00Z") -> undefined
        DATETIMETOTICKS("2015-05-19T24:00:00Z") -> undefined
        DATETIMETOTICKS("2015-05-19T12:00:60Z") -> undefined
        DATETIMETOTICKS("2015-05-19T12:00:00.") -> undefined
        DATETIMETOTICKS("2015-05-19T12:00:00.12345678Z") -> undefined
        DATETIMETOTICKS("2015-05-19T12:00:00+01:00") -> undefined
        DATETIMETOTICKS("2015-05-19 12:00:00") -> undefined
        DATETIMETOTICKS("2015-05-19") -> undefined
        DATETIMETOTICKS("0000-01-01T00:00:00Z") -> undefined
        DATETIMETOTICKS("Z") -> undefined
        DATETIMETOTICKS("") -> undefined
        DATETIMETOTICKS(5) -> undefined
        DATETIMETOTICKS(undefined) -> undefined
        DATETIMETOTIMESTAMP("2020-08-13T23:19:54.3002652Z") -> 1597360794300
        DATETIMETOTIMESTAMP("1969-12-31T23:59:59.9999999Z") -> -1
        DATETIMETOTIMESTAMP(null) -> undefined
        TICKSTODATETIME(15973607943002652) -> "2020-08-13T23:19:54.3002652Z"
        TICKSTODATETIME(0) -> "1970-01-01T00:00:00.0000000Z"
        TICKSTODATETIME(-116444736000000000) -> "1601-01-01T00:00:00.0000000Z"
        TICKSTODATETIME(9223372036854775807) -> undefined
        TICKSTODATETIME(0.5) -> undefined
        TICKSTODATETIME("0") -> undefined
        TICKSTODATETIME(undefined) -> undefined
        TIMESTAMPTODATETIME(1597360794300) -> "2020-08-13T23:19:54.3000000Z"
        TIMESTAMPTODATETIME(-11644473600000) -> "1601-01-01T00:00:00.0000000Z"
        TIMESTAMPTODATETIME(9223372036854775807) -> undefined
        TIMESTAMPTODATETIME(-9223372036854775808) -> undefined
        TIMESTAMPTODATETIME(253402300800000) -> undefined
        TIMESTAMPTODATETIME(true) -> undefined
        """);
  }

  @Test
  void createsDatesFromParts() {
    Table.check(
        """
        DATETIMEFROMPARTS(2017, 4, 20) -> "2017-04-20T00:00:00.0000000Z"
        DATETIMEFROMPARTS(2017, 4, 20, 13, 15) -> "2017-04-20T13:15:00.0000000Z"
        DATETIMEFROMPARTS(2017, 4, 20, 13, 15, 20, 3456789) -> "2017-04-20T13:15:20.3456789Z"
        DATETIMEFROMPARTS(-2000, -1, -1) -> undefined
        DATETIMEFROMPARTS(2017, 2, 29) -> undefined
        DATETIMEFROMPARTS(2017, 1, 1, 24) -> undefined
        DATETIMEFROMPARTS(2017, 1, 1, 0, 0, 0, 10000000) -> undefined
        DATETIMEFROMPARTS(0, 1, 1) -> undefined
        DATETIMEFROMPARTS(10000, 1, 1) -> undefined
        DATETIMEFROMPARTS(2017, 1.5, 1) -> undefined
        DATETIMEFROMPARTS(2017, 1, "1") -> undefined
        DATETIMEFROMPARTS(2017, 1, undefined) -> undefined
        """);
  }

  @Test
  void extractsPartsOfDates() {
    Table.check(
        """
        DATETIMEPART("2016-05-29T08:30:12.1301617", "yyyy") -> 2016
        DATETIMEPART("2016-05-29T08:30:12.1301617", "month") -> 5
        DATETIMEPART("2016-05-29T08:30:12.1301617", "d") -> 29
        DATETIMEPART("2016-05-29T08:30:12.1301617", "hour") -> 8
        DATETIMEPART("2016-05-29T08:30:12.1301617", "n") -> 30
        DATETIMEPART("2016-05-29T08:30:12.1301617", "SS") -> 12
        DATETIMEPART("2016-05-29T08:30:12.1301617", "ms") -> 130
        DATETIMEPART("2016-05-29T08:30:12.1301617", "mcs") -> 130161
        DATETIMEPART("2016-05-29T08:30:12.1301617", "nanosecond") -> 130161700
        DATETIMEPART("m", "2020-01-02T03:04:05.6789123Z") -> 1
        DATETIMEPART("ns", "2020-01-02T03:04:05.6789123") -> 678912300
        DATETIMEPART("yyyy", "yyyy") -> undefined
        DATETIMEPART("2016-05-29T08:30:12.1301617", "week") -> undefined
        DATETIMEPART("2016-05-29T08:30:12.1301617", 1) -> undefined
        DATETIMEPART("x", "yyyy") -> undefined
        DATETIMEPART(undefined, "yyyy") -> undefined
        """);
  }

  @Test
  void addsIntervals() {
    Table.check(
        """
        DATETIMEADD("mm", 1, "2020-07-09T23:20:13.4575530Z") -> "2020-08-09T23:20:13.4575530Z"
        DATETIMEADD("mm", 1, "2021-01-31T00:00:00Z") -> "2021-02-28T00:00:00.0000000Z"
        DATETIMEADD("yyyy", -1, "2020-02-29T00:00:00Z") -> "2019-02-28T00:00:00.0000000Z"
        DATETIMEADD("dd", 60, "2020-01-01T00:00:00Z") -> "2020-03-01T00:00:00.0000000Z"
        DATETIMEADD("hh", -1, "2020-01-01T00:00:00Z") -> "2019-12-31T23:00:00.0000000Z"
        DATETIMEADD("mi", 61, "2020-01-01T00:00:00Z") -> "2020-01-01T01:01:00.0000000Z"
        DATETIMEADD("ss", 1, "2020-01-01T00:00:00Z") -> "2020-01-01T00:00:01.0000000Z"
        DATETIMEADD("ms", -1, "2020-01-01T00:00:00Z") -> "2019-12-31T23:59:59.9990000Z"
        DATETIMEADD("mcs", 1, "2020-01-01T00:00:00Z") -> "2020-01-01T00:00:00.0000010Z"
        DATETIMEADD("ns", 250, "2020-01-01T00:00:00Z") -> "2020-01-01T00:00:00.0000002Z"
        DATETIMEADD("dd", 0.5, "2020-01-01T00:00:00Z") -> undefined
        DATETIMEADD("yyyy", 9999, "2020-01-01T00:00:00Z") -> undefined
        DATETIMEADD("yyyy", 9223372036854775807, "2020-01-01T00:00:00Z") -> undefined
        DATETIMEADD("mm", -9223372036854775808, "2020-01-01T00:00:00Z") -> undefined
        DATETIMEADD("dd", 9223372036854775807, "2020-01-01T00:00:00Z") -> undefined
        DATETIMEADD("mcs", 922337203685477580, "2020-01-01T00:00:00Z") -> undefined
        DATETIMEADD("xx", 1, "2020-01-01T00:00:00Z") -> undefined
        DATETIMEADD("dd", "1", "2020-01-01T00:00:00Z") -> undefined
        DATETIMEADD("dd", 1, undefined) -> undefined
        """);
  }

  @Test
  void countsBoundariesInDifferences() {
    Table.check(
        """
        DATETIMEDIFF("yyyy", "2019-02-04T16:00:00Z", "2018-03-05T05:00:00Z") -> -1
        DATETIMEDIFF("mm", "2019-02-04T16:00:00Z", "2018-03-05T05:00:00Z") -> -11
        DATETIMEDIFF("yyyy", "2018-12-31T23:59:59Z", "2019-01-01T00:00:00Z") -> 1
        DATETIMEDIFF("dd", "2018-12-31T23:59:59Z", "2019-01-01T00:00:00Z") -> 1
        DATETIMEDIFF("hh", "2018-01-01T01:59:00Z", "2018-01-01T02:01:00Z") -> 1
        DATETIMEDIFF("hh", "2018-01-01T02:01:00Z", "2018-01-01T01:59:00Z") -> -1
        DATETIMEDIFF("mi", "2018-01-01T02:01:59Z", "2018-01-01T02:01:00Z") -> 0
        DATETIMEDIFF("ss", "1969-12-31T23:59:59.5Z", "1970-01-01T00:00:00.5Z") -> 1
        DATETIMEDIFF("ms", "2018-01-01T00:00:00Z", "2018-01-01T00:00:01Z") -> 1000
        DATETIMEDIFF("mcs", "2018-01-01T00:00:00Z", "2018-01-01T00:00:00.001Z") -> 1000
        DATETIMEDIFF("ns", "2018-01-01T00:00:00Z", "2018-01-01T00:00:00.0000001Z") -> 100
        DATETIMEDIFF("ns", "0001-01-01T00:00:00Z", "9999-01-01T00:00:00Z") -> undefined
        DATETIMEDIFF("xx", "2018-01-01T00:00:00Z", "2018-01-01T00:00:00Z") -> undefined
        DATETIMEDIFF("dd", "2018-01-01", "2018-01-01T00:00:00Z") -> undefined
        DATETIMEDIFF("dd", undefined, "2018-01-01T00:00:00Z") -> undefined
        """);
  }

  @Test
  void roundsDownToBins() {
    Table.check(
        """
        DATETIMEBIN("2021-01-08T18:35:00.0000000", "dd") -> "2021-01-08T00:00:00.0000000Z"
        DATETIMEBIN("2021-01-08T18:35:00.0000000", "hh") -> "2021-01-08T18:00:00.0000000Z"
        DATETIMEBIN("2021-01-08T18:35:00.0000000", "ss") -> "2021-01-08T18:35:00.0000000Z"
        DATETIMEBIN("2021-01-08T18:35:00.0000000", "hh", 5) -> "2021-01-08T15:00:00.0000000Z"
        DATETIMEBIN("2021-01-08T18:35:00.0000000", "dd", 7) -> "2021-01-07T00:00:00.0000000Z"
        DATETIMEBIN("2021-01-08T18:35:00", "dd", 7, "1601-01-01T00:00:00") -> "2021-01-04T00:00:00.0000000Z"
        DATETIMEBIN("2021-05-08T18:35:00", "yyyy") -> "2021-01-01T00:00:00.0000000Z"
        DATETIMEBIN("2021-05-08T18:35:00", "mm", 3) -> "2021-04-01T00:00:00.0000000Z"
        DATETIMEBIN("2021-05-08T18:35:00", "mm", 1, "2020-01-15T00:00:00") -> "2021-04-15T00:00:00.0000000Z"
        DATETIMEBIN("1969-12-31T23:00:00", "dd", 2) -> "1969-12-30T00:00:00.0000000Z"
        DATETIMEBIN("2021-01-08T18:35:00.1234567", "ns", 1000) -> "2021-01-08T18:35:00.1234560Z"
        DATETIMEBIN("2021-01-08T18:35:00.1234567", "ns", 1) -> "2021-01-08T18:35:00.1234567Z"
        DATETIMEBIN("2021-01-08T18:35:00", "dd", 0) -> undefined
        DATETIMEBIN("2021-01-08T18:35:00", "dd", -1) -> undefined
        DATETIMEBIN("2021-01-08T18:35:00", "dd", 1.5) -> undefined
        DATETIMEBIN("2021-01-08T18:35:00", "dd", 9223372036854775807) -> undefined
        DATETIMEBIN("2021-01-08T18:35:00", "yyyy", 9223372036854775807) -> undefined
        DATETIMEBIN("2021-01-08T18:35:00", "dd", 1, "x") -> undefined
        DATETIMEBIN("2021-01-08T18:35:00", "xx") -> undefined
        DATETIMEBIN(undefined, "dd") -> undefined
        """);
  }

  @Test
  void formatsDates() {
    Table.check(
        """
        DATETIMEFORMAT("2021-03-08T18:05:09.1234567Z", "yyyy-MM-dd HH:mm:ss.fff") -> "2021-03-08 18:05:09.123"
        DATETIMEFORMAT("2021-03-08T18:05:09Z", "d/M/yy") -> "8/3/21"
        DATETIMEFORMAT("2021-03-08T18:05:09Z", "dddd, dd MMMM yyyy") -> "Monday, 08 March 2021"
        DATETIMEFORMAT("2021-03-08T18:05:09Z", "ddd MMM") -> "Mon Mar"
        DATETIMEFORMAT("2021-03-08T18:05:09Z", "h:mm tt") -> "6:05 PM"
        DATETIMEFORMAT("2021-03-08T00:05:09Z", "hh t") -> "12 A"
        DATETIMEFORMAT("2021-03-08T18:05:09Z", "'day' d \\\\h") -> "day 8 h"
        DATETIMEFORMAT("2021-03-08T18:05:09Z", "") -> ""
        DATETIMEFORMAT("2021-03-08T18:05:09Z", "yyyyy") -> undefined
        DATETIMEFORMAT("2021-03-08T18:05:09Z", "q") -> undefined
        DATETIMEFORMAT("2021-03-08T18:05:09Z", "'open") -> undefined
        DATETIMEFORMAT("2021-03-08T18:05:09Z", "a\\\\") -> undefined
        DATETIMEFORMAT("2021-03-08T18:05:09Z", 5) -> undefined
        DATETIMEFORMAT("x", "yyyy") -> undefined
        DATETIMEFORMAT(undefined, "yyyy") -> undefined
        """);
  }

  @Test
  void returnsTheCurrentTime() {
    Table.check(
        """
        GETCURRENTDATETIME() -> "2026-03-04T05:06:07.1234567Z"
        GETCURRENTDATETIMESTATIC() -> "2026-03-04T05:06:06.5000000Z"
        GETCURRENTTIMESTAMP() -> 1772600767123
        GETCURRENTTIMESTAMPSTATIC() -> 1772600766500
        GETCURRENTTICKS() -> 17726007671234567
        GETCURRENTTICKSSTATIC() -> 17726007665000000
        """);
  }

  @Property
  void restoresTicksFromText(
      @ForAll @LongRange(min = -621355968000000000L, max = 2534023007999999999L) long ticks) {
    JsonNode text = Table.call("TICKSTODATETIME", CONTEXT, Values.number(ticks));
    assertThat(Table.call("DATETIMETOTICKS", CONTEXT, text).longValue()).isEqualTo(ticks);
  }

  @Property
  void returnsTheAddedIntervalAsDifference(
      @ForAll @LongRange(min = -1_000_000_000_000L, max = 1_000_000_000_000L) long ticks,
      @ForAll @IntRange(min = -5000, max = 5000) int count) {
    JsonNode start = Table.call("TICKSTODATETIME", CONTEXT, Values.number(ticks));
    for (String part : new String[] {"yyyy", "mm", "dd", "hh", "mi", "ss", "ms", "mcs"}) {
      if (part.equals("yyyy") && Math.abs(count) > 1900) {
        continue;
      }
      JsonNode sum =
          Table.call("DATETIMEADD", CONTEXT, Values.text(part), Values.number(count), start);
      JsonNode diff = Table.call("DATETIMEDIFF", CONTEXT, Values.text(part), start, sum);
      assertThat(diff.longValue()).as(part).isEqualTo(count);
    }
  }

  @Property
  void startsBinsAtOrBeforeTheDate(
      @ForAll @LongRange(min = -10_000_000_000_000_000L, max = 10_000_000_000_000_000L) long ticks,
      @ForAll @IntRange(min = 1, max = 50) int size) {
    JsonNode time = Table.call("TICKSTODATETIME", CONTEXT, Values.number(ticks));
    JsonNode origin = Values.text("1999-01-15T03:04:05.6Z");
    for (String part : new String[] {"yyyy", "mm", "dd", "hh", "mi", "ss", "ms", "mcs"}) {
      JsonNode bin =
          Table.call("DATETIMEBIN", CONTEXT, time, Values.text(part), Values.number(size), origin);
      JsonNode next =
          Table.call("DATETIMEADD", CONTEXT, Values.text(part), Values.number(size), bin);
      assertThat(bin.textValue()).isLessThanOrEqualTo(time.textValue());
      assertThat(next.textValue()).isGreaterThan(time.textValue());
    }
  }
}
